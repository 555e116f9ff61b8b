import { expect, test } from "bun:test";
import { runsOf } from "#plugins/chain-scanner/reorg/runsOf.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

const block = (number: number, parent: string | null = `${number - 1}`): BlockRef => {
	const parentHash = parent === null ? null : (`0x${parent}` as const);
	return { number, hash: `0x${number}`, parentHash, settled: false };
};
const numbers = (stored: BlockRef[]) =>
	runsOf(stored, 64).map(({ blocks }) => blocks.map(({ number }) => number));

test("[ING-11] a run ends at a hole, at another hash, and at a block that names no parent", () => {
	expect(numbers([])).toEqual([]);
	expect(numbers([block(9), block(8), block(6), block(5)])).toEqual([
		[9, 8],
		[6, 5],
	]);
	expect(numbers([block(9), block(8, "70"), block(7)])).toEqual([[9, 8], [7]]);
	expect(numbers([block(9, null), block(8)])).toEqual([[9], [8]]);
});

test("[ING-11] a run is old once the chain is further above it than reorgs reach", () => {
	const ages = runsOf([block(100), block(37), block(36), block(34)], 64);
	expect(ages.map(({ top, isOld }) => [top.number, isOld])).toEqual([
		[100, false],
		[37, false],
		[34, true],
	]);
});
