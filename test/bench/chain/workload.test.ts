import { expect, test } from "bun:test";
import {
	deploymentBlocks,
	expectedRows,
	rowsPerBlock,
	WIDE_WORKLOAD,
	WORKLOAD,
} from "#test/bench/chain/workload.ts";

test("the compared chain has 1,001 blocks and 80,000 rows, as in the published comparison", () => {
	expect(deploymentBlocks(WORKLOAD) + WORKLOAD.blocks).toBe(1_001);
	expect(expectedRows(WORKLOAD)).toEqual({ mints: 60_000, sales: 20_000, all: 80_000 });
	expect(rowsPerBlock(WORKLOAD)).toBe(80);
});

test("the wide chain uses each of its 2,000 collections once, and needs several blocks to deploy", () => {
	const { blocks, collections, collectionsPerBlock, blockSeconds } = WIDE_WORKLOAD;
	expect([collections, blockSeconds]).toEqual([2_000, 12]);
	expect(blocks * collectionsPerBlock).toBe(collections);
	expect(deploymentBlocks(WIDE_WORKLOAD)).toBe(9);
	// At 20,000 rows a second for more than three seconds.
	expect(expectedRows(WIDE_WORKLOAD).all).toBeGreaterThan(60_000);
});
