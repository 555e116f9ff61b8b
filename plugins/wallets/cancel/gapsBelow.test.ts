import { expect, test } from "bun:test";
import { gapsBelow } from "#plugins/wallets/cancel/gapsBelow.ts";
import type { HeldNonce } from "#plugins/wallets/submission/NonceQueue.ts";

const one = (nonce: number, more: Partial<HeldNonce> = {}): HeldNonce => {
	return { nonce, state: "sent", purpose: "pay", ...more };
};
const gaps = (nonce: number, held: HeldNonce[], minedNonce = 5, max = 64) =>
	gapsBelow(nonce, { held, finalCount: 0 }, { minedNonce, max });

test("gaps are what nothing holds between the account's count and a nonce", () => {
	expect(gaps(5, [])).toEqual([]);
	expect(gaps(8, [one(8)])).toEqual([5, 6, 7]);
	expect(gaps(8, [one(5), one(7), one(8)])).toEqual([6]);
	expect(gapsBelow(8, { held: [], finalCount: 7 }, { minedNonce: 0, max: 64 })).toEqual([7]);
});

test("what fills a gap holds it, unless it may never have left", () => {
	for (const state of ["queued", "sending", "sent", "mined"] as const) {
		expect(gaps(6, [one(5, { purpose: "fill", state })])).toEqual([]);
	}
	for (const state of ["doubtful", "dropped"] as const) {
		expect(gaps(6, [one(5, { purpose: "fill", state })])).toEqual([5]);
		expect(gaps(6, [one(5, { purpose: "pay", state })])).toEqual([]);
	}
});

test("no more are filled at once than a limit allows, the lowest first", () => {
	expect(gaps(1_000_000_000, [], 5, 3)).toEqual([5, 6, 7]);
});
