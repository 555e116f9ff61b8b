import { expect, test } from "bun:test";
import { AssertionFailed } from "#core/fault/assert.ts";
import { blocksOf } from "#plugins/chain-scanner/range/blocksOf.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

const chain = createFakeChain();
chain.mineTo(9);
const heads = (...numbers: number[]) => numbers.map(chain.headOf);
const numbersOf = (unsettledFrom: number) => {
	const { blocks } = blocksOf(heads(3, 4, 5, 6), { from: 3, to: 6 }, unsettledFrom);
	return blocks.map(({ number, settled }) => `${number}${settled ? " settled" : ""}`);
};

test("[ING-11] within reach of reorgs every block is kept, below it the last one alone", () => {
	expect(numbersOf(3)).toEqual(["3", "4", "5", "6"]);
	expect(numbersOf(5)).toEqual(["5", "6"]);
	expect(numbersOf(7)).toEqual(["6 settled"]);
});

test("the block below is the one that the first header names", () => {
	const one = blocksOf(heads(4), { from: 4, to: 4 }, 0);
	expect(one.parentHash).toBe(chain.hashOf(3));
	expect(one.blocks).toEqual([
		{ number: 4, hash: chain.hashOf(4), parentHash: chain.hashOf(3), settled: false },
	]);
});

test("a range without the header of one of its ends is our own mistake", () => {
	for (const given of [heads(3, 4), heads(4, 5), []]) {
		expect(() => blocksOf(given, { from: 3, to: 5 }, 0)).toThrow(AssertionFailed);
	}
});
