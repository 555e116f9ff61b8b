import { expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { LogFilter } from "#core/chain/LogFilter.ts";
import { fitsFilter } from "#plugins/chain-scanner/range/fitsFilter.ts";

const word = (n: number): Hex => `0x${String(n).repeat(64)}`;
const account = (n: number): Hex => `0x${String(n).repeat(40)}`;
const log = { address: account(1), topics: [word(1), word(2), word(3)] };

const cases: [string, LogFilter, boolean][] = [
	["an empty filter means every log", { topics: [] }, true],
	["a position may be left open", { topics: [null, word(2)] }, true],
	["a position holds one of several", { topics: [[word(9), word(1)]] }, true],
	["another topic does not fit", { topics: [word(2)] }, false],
	["another emitter does not fit", { address: [account(2)], topics: [] }, false],
	["one of several emitters fits", { address: [account(2), account(1)], topics: [] }, true],
	["as many positions as topics fit", { topics: [null, null, null] }, true],
	// What tells an ERC-721 mint from an ERC-20 one.
	[
		"more positions than topics do not, also open ones",
		{ topics: [null, null, null, null] },
		false,
	],
];
for (const [what, filter, fits] of cases) {
	test(`[ING-01] ${what}`, () => expect(fitsFilter(log, filter)).toBe(fits));
}
