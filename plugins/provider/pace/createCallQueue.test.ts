import { expect, test } from "bun:test";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import type { ProviderPurpose } from "#plugins/provider/contract.ts";
import { termsOf } from "#plugins/provider/pace/createCallQueue.ts";

const PURPOSES: ProviderPurpose[] = ["request", "plan", "view", "search", "background", "endless"];

/**
 * Returns how many calls of each purpose are granted, one purpose after the other, as often as they
 * ask.
 */
async function grantedInTurn(...purposes: ProviderPurpose[]) {
	const budget = inProcessBudget({ clock: { nowMs: () => 0 } });
	const granted: number[] = [];
	for (const purpose of purposes) {
		let count = 0;
		while ((await budget.take("key", termsOf(purpose))).granted) count++;
		granted.push(count);
	}
	return granted;
}

test("no purpose may use all calls of a minute", async () => {
	for (const purpose of PURPOSES) {
		const [most = 0] = await grantedInTurn(purpose);
		expect({ purpose, most }).toEqual({ purpose, most: MOST[purpose] });
	}
});
const MOST = { request: 70, plan: 15, view: 40, search: 15, background: 60, endless: 50 } as const;

test("30 calls of the minute are reserved for the background, however many clients ask", async () => {
	const [, , , background] = await grantedInTurn("request", "view", "search", "background");
	expect(background).toBe(30);
	expect((await grantedInTurn("search", "view", "request", "endless")).at(-1)).toBe(30);
});

test("10 calls of the minute are reserved for buyers, whatever others do", async () => {
	const others: ProviderPurpose[] = ["background", "endless", "view", "search"];
	expect((await grantedInTurn(...others, "request")).at(-1)).toBe(10);
	expect((await grantedInTurn(...others.toReversed(), "request")).at(-1)).toBe(15);
});

test("plans that are due get a read of the book and a buy in the same minute, whatever others do", async () => {
	const others: ProviderPurpose[] = ["background", "endless", "view", "search"];
	const granted = await grantedInTurn(...others, "plan", "request");
	expect(granted.slice(-2)).toEqual([5, 5]);
	const behind = await grantedInTurn("background", "endless", "plan", "request");
	expect(behind.slice(-2)).toEqual([15, 5]);
	// Books leave most of the minute to the buys.
	expect(await grantedInTurn("plan", "request")).toEqual([15, 55]);
});

test("10 calls are reserved for pages, whatever the background does", async () => {
	expect(await grantedInTurn("background", "endless", "view")).toEqual([60, 40, 10]);
});
