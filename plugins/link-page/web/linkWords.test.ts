import { expect, test } from "bun:test";
import { linkWords } from "#plugins/link-page/web/linkWords.ts";
import type { LinkShown } from "#plugins/wallets/contract.ts";

const wordsOf = (purpose: LinkShown["purpose"], count = 1) => {
	const transactions = Array.from({ length: count }, () => ({}) as never);
	return linkWords({ purpose, transactions });
};

test("each purpose has sentences of its own", () => {
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

test("several that are confirmed with one word are counted", () => {
	expect(wordsOf("confirm").title).toBe("Confirm this transaction");
	expect(wordsOf("confirm", 3).title).toBe("Confirm these 3 transactions");
});

test("nobody is told that a payment is dead before it is", () => {
	const { lead, declined, runOut, failed } = wordsOf("cancel");
	expect(lead).toContain("if the payment is faster, it stands");
	expect(declined).toContain("may still be mined");
	expect(runOut).toContain("may still be mined");
	// There are wallets that let no page choose a nonce.
	expect(failed).toContain("a Cancel of its own");
});

test("who lets a link run out may have signed all the same, except where a yes is enough", () => {
	expect(wordsOf("confirm").runOut).toContain("Nothing was sent");
	for (const purpose of ["sign", "cancel"] as const) {
		expect(wordsOf(purpose).runOut).not.toContain("Nothing was sent");
	}
});
