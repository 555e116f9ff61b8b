import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import {
	type BlockRef,
	forgetBlocks,
	recordBlocks,
	storedBlocks,
} from "#plugins/chain-scanner/sql/block.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let chainId = 0;
beforeAll(async () => {
	database = await createTestDatabase();
}, 60_000);
afterAll(() => database.drop());
beforeEach(() => void chainId++);

const hashOf = (number: number, fork = 0): Hex => {
	return `0x${fork.toString(16).padStart(8, "0")}${number.toString(16).padStart(56, "0")}`;
};
/** A block of a fork, on a block of another where that is given. */
const block = (number: number, fork = 0, below = fork): BlockRef => ({
	number,
	hash: hashOf(number, fork),
	parentHash: hashOf(number - 1, below),
	settled: false,
});
const record = (blocks: readonly BlockRef[], pruneBelow = 0) =>
	database.db.transaction((tx) => recordBlocks(tx, { chainId, blocks, pruneBelow }));
const stored = async (limit = 100) =>
	(await storedBlocks(database.db, chainId, limit)).map(({ number }) => number);

test("[ING-11] blocks that are there already, under the same hash, fit", async () => {
	expect(await record([block(5), block(6)])).toBe(true);
	expect(await record([block(6), block(7)])).toBe(true);
	expect(await stored()).toEqual([7, 6, 5]);
	expect(await record([])).toBe(true);
});

test("[ING-11] another hash at the same number is another fork", async () => {
	await record([block(5), block(6)]);
	expect(await record([block(6, 1, 0)])).toBe(false);
});

test("[ING-11] a block whose parent is not the stored one is of another fork", async () => {
	await record([block(5)]);
	expect(await record([block(6, 1)])).toBe(false);
	expect(await record([block(6, 1, 0)])).toBe(true);
});

test("[ING-11] a block that is not the stored one's parent is of another fork", async () => {
	await record([block(9)]);
	expect(await record([block(7), block(8)])).toBe(true);
	await record([block(20)]);
	expect(await record([block(19, 1)])).toBe(false);
});

test("a block that was only heard of contradicts nobody by the parent it does not name", async () => {
	await record([block(5)]);
	expect(await record([{ ...block(6, 1), parentHash: null }])).toBe(true);
	expect(await record([block(7, 1)])).toBe(true);
});

test("another chain's blocks are another chain's", async () => {
	await record([block(5)]);
	chainId++;
	expect(await record([block(5, 1)])).toBe(true);
	expect(await record([block(6, 1)])).toBe(true);
});

test("[ING-11] what left the reach of reorgs is pruned, and the newest of it stays as the anchor", async () => {
	await record([1, 2, 3, 4, 5].map((number) => block(number)));
	await record([block(6)], 4);
	expect(await stored()).toEqual([6, 5, 4, 3]);
	// The anchor is the newest below, however far.
	await record([block(20)], 20);
	expect(await stored()).toEqual([20, 6]);
	await record([block(21)], 0);
	expect(await stored()).toEqual([21, 20, 6]);
});

test("[ING-11] the newest blocks are found, and where cursors were left behind besides", async () => {
	await record([7, 8, 9].map((number) => block(number)));
	const move = { chainId, from: null, headBlock: 9, atMs: 0 };
	const cursors = [
		{ ...move, lane: "mint", to: 9, toHash: hashOf(9) },
		{ ...move, lane: "sale", to: 3, toHash: hashOf(3, 1) },
	] as const;
	for (const cursor of cursors) {
		expect(await database.db.transaction((tx) => moveCursor(tx, cursor))).toBe(true);
	}
	expect(await storedBlocks(database.db, chainId, 2)).toEqual([
		{ number: 9, hash: hashOf(9), settled: false },
		{ number: 8, hash: hashOf(8), settled: false },
		{ number: 3, hash: hashOf(3, 1), settled: true },
	]);
});

test("[ING-11] above a fork every block is forgotten, and none below", async () => {
	await record([5, 6, 7, 8].map((number) => block(number)));
	await database.db.transaction((tx) => forgetBlocks(tx, chainId, 6));
	expect(await stored()).toEqual([6, 5]);
	expect(await record([block(7, 1, 0)])).toBe(true);
});
