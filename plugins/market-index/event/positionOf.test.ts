import { expect, test } from "bun:test";
import fc from "fast-check";
import { positionOf } from "#plugins/market-index/event/positionOf.ts";

const place = fc.record({
	blockNumber: fc.oneof(fc.nat(3), fc.nat(2 ** 31), fc.constant(2 ** 33 - 1)),
	logIndex: fc.oneof(fc.nat(3), fc.constantFrom(2 ** 20 - 2, 2 ** 20 - 1)),
	subIndex: fc.oneof(fc.nat(3), fc.constantFrom(1_022, 1_023)),
});

type Place = { blockNumber: number; logIndex: number; subIndex: number };
const inOrder = (a: Place, b: Place) =>
	Math.sign(a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex);

test("positions are in the order of the chain: block, then log, then item", () => {
	fc.assert(
		fc.property(place, place, (a, b) => {
			const difference = positionOf(a) - positionOf(b);
			expect(difference < 0n ? -1 : difference > 0n ? 1 : 0).toBe(inOrder(a, b));
		}),
		{ numRuns: 1_000 },
	);
});

test("every position up to block 2^33 fits an int8, whatever a batch log carries", () => {
	const last = { blockNumber: 2 ** 33 - 1, logIndex: 2 ** 31 - 1, subIndex: 99_999 };
	expect(positionOf(last)).toBe(2n ** 63n - 1n);
	expect(positionOf({ blockNumber: 0, logIndex: 0, subIndex: 0 })).toBe(0n);
});

test("items above 1,023 of one log never pass for the next log's", () => {
	const crowded = positionOf({ blockNumber: 7, logIndex: 3, subIndex: 50_000 });
	expect(crowded < positionOf({ blockNumber: 7, logIndex: 4, subIndex: 0 })).toBe(true);
});

test("what only a provider told stands within its block, after the block before and before the next", () => {
	const log = fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 });
	fc.assert(
		fc.property(fc.nat(2 ** 31), log, fc.nat(), (blockNumber, logIndex, subIndex) => {
			const position = positionOf({ blockNumber, logIndex, subIndex });
			expect(position >= positionOf({ blockNumber, logIndex: 0, subIndex: 0 })).toBe(true);
			const next = { blockNumber: blockNumber + 1, logIndex: 0, subIndex: 0 };
			expect(position < positionOf(next)).toBe(true);
		}),
	);
});
