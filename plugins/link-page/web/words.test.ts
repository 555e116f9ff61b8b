import { describe, expect, test } from "bun:test";
import { linkWords, stateWords, timeLeft } from "#plugins/link-page/web/words.ts";
import { INTENT_STATUSES, type LinkShown } from "#plugins/wallets/contract.ts";

describe("linkWords", () => {
	const wordsOf = (purpose: LinkShown["purpose"], count = 1) => {
		const transactions = Array.from({ length: count }, () => ({}) as never);
		return linkWords({ purpose, transactions });
	};

	test("each purpose of a link has its own texts", () => {
		const all = (["confirm", "sign", "cancel"] as const).map((purpose) => wordsOf(purpose));
		for (const member of ["title", "lead", "button", "runOut", "declined"] as const) {
			expect(new Set(all.map((words) => words[member])).size).toBe(3);
		}
		for (const words of all) {
			for (const member of ["lead", "runOut", "declined", "failed"] as const) {
				expect(words[member]).toEndWith(".");
			}
		}
	});

	test("the title counts several transactions that are confirmed together", () => {
		expect(wordsOf("confirm").title).toBe("Confirm this transaction");
		expect(wordsOf("confirm", 3).title).toBe("Confirm these 3 transactions");
	});

	test("the page never says that a payment cannot be mined while it still can", () => {
		const { lead, declined, runOut, failed } = wordsOf("cancel");
		expect(lead).toContain("if the payment is faster, it stands");
		expect(declined).toContain("may still be mined");
		expect(runOut).toContain("may still be mined");
		// There are wallets that let no page choose a nonce.
		expect(failed).toContain("a Cancel of its own");
	});

	test('the text of an expired link says "nothing was sent" only if a confirmation was asked, not a signature', () => {
		expect(wordsOf("confirm").runOut).toContain("Nothing was sent");
		for (const purpose of ["sign", "cancel"] as const) {
			expect(wordsOf(purpose).runOut).not.toContain("Nothing was sent");
		}
	});
});

describe("stateWords", () => {
	test("every state of an intent has its own text on the page", () => {
		for (const status of INTENT_STATUSES) {
			const { title, lead } = stateWords(status, null);
			expect({ status, title }).not.toEqual({ status, title: status });
			expect(lead).toEndWith(".");
		}
		expect(stateWords("brand_new", null).title).toBe("brand_new");
	});

	test('the page never says "not sent" if the money may have left, and advises not to ask for it again', () => {
		for (const status of ["submitting", "submitted", "uncertain", "confirmed"]) {
			const { title, lead } = stateWords(status, null);
			expect(`${title} ${lead}`).not.toMatch(/nothing was sent|not sent/i);
		}
		for (const status of ["submitting", "uncertain"]) {
			expect(stateWords(status, null).lead).toContain("Do not ask for it again");
		}
	});

	test("the page polls the state exactly while the service can still change it", () => {
		const open = INTENT_STATUSES.filter((status) => !stateWords(status, null).isOver);
		expect(open.sort()).toEqual(["created", "submitted", "submitting", "uncertain", "waiting"]);
	});

	test("the page names the mined one of payment and cancellation only after it is mined", () => {
		for (const status of ["submitted", "uncertain"]) {
			for (const state of ["sent", "doubtful", "mined", "reverted", "never"]) {
				const { title, lead, isOver } = stateWords(status, null, { state });
				expect(isOver).toBe(false);
				expect(`${title} ${lead}`).not.toMatch(/nothing was sent|confirmed/i);
			}
			expect(stateWords(status, null, { state: "sent" }).title).toBe("Being cancelled");
			// A wallet that used another nonce has cancelled nothing.
			expect(stateWords(status, null, { state: "never" }).title).toBe("Not cancelled");
		}
		expect(stateWords("confirmed", null, { state: "never" }).title).toBe("Done");
	});

	test('the page says "cancelled" once the payment cannot be mined, and "nothing was sent" if it was not', () => {
		const { title, lead, isOver } = stateWords("failed", "cancelled", { state: "mined" });
		expect({ title, isOver }).toEqual({ title: "Cancelled", isOver: true });
		expect(lead).not.toContain("Nothing was sent");
		expect(stateWords("failed", "cancelled").lead).toContain("Nothing was sent");
	});

	test("a reason is shown by its code", () => {
		expect(stateWords("rejected", "per_trade_limit").lead).toContain("per_trade_limit");
		expect(stateWords("failed", "not_received").lead).toContain("not_received");
		expect(stateWords("rejected", "cancelled").title).toBe("Called off");
	});

	test("the page says that a payment which failed on chain was sent", () => {
		for (const code of ["reverted_on_chain", "not_received", "partly_received"]) {
			expect(stateWords("failed", code).lead).toContain("was sent");
		}
		expect(stateWords("failed", "not_sent").lead).not.toContain("was sent");
	});
});

describe("timeLeft", () => {
	test("the time is shown in minutes and seconds, rounded up, and never below zero", () => {
		expect([600_000, 599_001, 61_000, 1, 0, -5].map(timeLeft)).toEqual([
			"10:00",
			"10:00",
			"1:01",
			"0:01",
			"0:00",
			"0:00",
		]);
	});
});
