import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/takeBack.ts";
import { type BlockRef, recordBlocks, storedBlocks } from "#plugins/chain-scanner/sql/block.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const hashOf = (number: number, fork: number): Hex => `0x${`${fork}${number}`.padStart(64, "0")}`;
const block = (number: number, fork: number): BlockRef => {
	const parentHash = hashOf(number - 1, fork);
	return { number, hash: hashOf(number, fork), parentHash, settled: false };
};

test("[ING-11] a block that does not fit on what is stored below it is no place to go back to", async () => {
	const { db } = database;
	const reverted: number[] = [];
	const sink = {
		name: "count",
		apply: async () => {},
		revert: async (_: unknown, { forkBlock }: { forkBlock: number }) =>
			void reverted.push(forkBlock),
	};
	const back = (above: BlockRef) =>
		db.transaction((tx) => takeBack(tx, { chainId: 7, above, sinks: [sink] }));
	const blocks = [block(4, 1), block(7, 1)];
	await db.transaction((tx) => recordBlocks(tx, { chainId: 7, blocks, pruneBelow: 0 }));
	await expect(back(block(5, 2))).rejects.toThrow("lane_forked");
	expect(await storedBlocks(db, 7, 9)).toEqual(blocks.toReversed());
	await back(block(5, 1));
	expect(await storedBlocks(db, 7, 9)).toEqual([block(5, 1), block(4, 1)]);
	expect(reverted).toEqual([5]);
});
