import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "#core/chain/Hex.ts";
import type { LogFilter } from "#core/chain/LogFilter.ts";
import { bloomMayHold } from "#plugins/chain-scanner/range/bloomMayHold.ts";
import { bloomOf } from "#plugins/chain-scanner/range/bloomOf.ts";
import { fitsFilter } from "#plugins/chain-scanner/range/fitsFilter.ts";

const word = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;
const account = (n: number): Hex => `0x${n.toString(16).padStart(40, "0")}`;
const small = fc.integer({ min: 0, max: 5 });
const logs = fc.array(
	fc.record({ address: small.map(account), topics: fc.array(small.map(word), { maxLength: 4 }) }),
	{ maxLength: 6 },
);
const filters: fc.Arbitrary<LogFilter> = fc
	.record({
		address: fc.option(fc.array(small.map(account), { minLength: 1, maxLength: 3 })),
		topics: fc.array(
			fc.oneof(
				fc.constant(null),
				small.map(word),
				fc.array(small.map(word), { minLength: 1, maxLength: 3 }),
			),
			{ maxLength: 4 },
		),
	})
	.map(({ address, topics }) => (address ? { address, topics } : { topics }));

test("[ING-14] a block whose log fits a filter is never ruled out by its own bloom", () => {
	fc.assert(
		fc.property(logs, filters, (all, filter) => {
			if (!all.some((log) => fitsFilter(log, filter))) return;
			expect(bloomMayHold(bloomOf(all), filter)).toBe(true);
		}),
	);
});

test("an address, or a topic of which none is in the block, rules it out", () => {
	const bloom = bloomOf([{ address: account(1), topics: [word(1), word(2)] }]);
	expect(bloomMayHold(bloom, { address: [account(9)], topics: [] })).toBe(false);
	expect(bloomMayHold(bloom, { topics: [[word(8), word(9)]] })).toBe(false);
	expect(bloomMayHold(bloom, { topics: [word(1), word(9)] })).toBe(false);
	expect(bloomMayHold(bloom, { topics: [[word(9), word(1)], null] })).toBe(true);
	expect(bloomMayHold(bloom, { address: [account(9), account(1)], topics: [] })).toBe(true);
});
