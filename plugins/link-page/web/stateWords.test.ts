import { expect, test } from "bun:test";
import { stateWords } from "#plugins/link-page/web/stateWords.ts";
import { INTENT_STATUSES } from "#plugins/wallets/contract.ts";

test("every state an intent can have has words of its own on the page", () => {
	for (const status of INTENT_STATUSES) {
		const { title, lead } = stateWords(status, null);
		expect({ status, title }).not.toEqual({ status, title: status });
		expect(lead).toEndWith(".");
	}
	expect(stateWords("brand_new", null).title).toBe("brand_new");
});

test("money that may have left is never called not sent, and is not asked for again", () => {
	for (const status of ["submitting", "submitted", "uncertain", "confirmed"]) {
		const { title, lead } = stateWords(status, null);
		expect(`${title} ${lead}`).not.toMatch(/nothing was sent|not sent/i);
	}
	for (const status of ["submitting", "uncertain"]) {
		expect(stateWords(status, null).lead).toContain("Do not ask for it again");
	}
});

test("the page looks again exactly where the service itself can still change it", () => {
	const open = INTENT_STATUSES.filter((status) => !stateWords(status, null).isOver);
	expect(open.sort()).toEqual(["created", "submitted", "submitting", "uncertain", "waiting"]);
});

test("of a payment that is being cancelled nobody says which of the two is mined before it is", () => {
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

test("cancelled is what cannot be mined any more; what was not sent is said to be so", () => {
	const { title, lead, isOver } = stateWords("failed", "cancelled", { state: "mined" });
	expect({ title, isOver }).toEqual({ title: "Cancelled", isOver: true });
	expect(lead).not.toContain("Nothing was sent");
	expect(stateWords("failed", "cancelled").lead).toContain("Nothing was sent");
});

test("a reason is told by its code", () => {
	expect(stateWords("rejected", "per_trade_limit").lead).toContain("per_trade_limit");
	expect(stateWords("failed", "not_received").lead).toContain("not_received");
	expect(stateWords("rejected", "cancelled").title).toBe("Called off");
});

test("what failed on the chain was sent all the same", () => {
	for (const code of ["reverted_on_chain", "not_received", "partly_received"]) {
		expect(stateWords("failed", code).lead).toContain("was sent");
	}
	expect(stateWords("failed", "not_sent").lead).not.toContain("was sent");
});
