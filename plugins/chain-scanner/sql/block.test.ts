import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import {
	type BlockRef,
	forgetBlocks,
	recordBlocks,
	settleBlocks,
	storedBlocks,
} from "#plugins/chain-scanner/sql/block.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let chainId = 0;
beforeAll(async () => {
	database = await createTestDatabase();
});
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
const settled = (number: number): BlockRef => ({ ...block(number), settled: true });
const blocks = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, index) => block(from + index));
const ask = (given: readonly BlockRef[], pruneBelow = 0, outdatedBy: number | null = null) =>
	database.db.transaction((tx) =>
		recordBlocks(tx, { chainId, blocks: given, pruneBelow, outdatedBy }),
	);
/** Whether they fit. */
const record = async (given: readonly BlockRef[], pruneBelow = 0) =>
	(await ask(given, pruneBelow)).fits;
const stored = async (limit = 100) =>
	(await storedBlocks(database.db, chainId, limit)).map(({ number }) => number);

test("[ING-11] blocks that are already stored with the same hash fit", async () => {
	expect(await record([block(5), block(6)])).toBe(true);
	expect(await record([block(6), block(7)])).toBe(true);
	expect(await stored()).toEqual([7, 6, 5]);
	expect(await record([])).toBe(true);
});

test("[ING-11] another hash at a stored number means another fork", async () => {
	await record([block(5), block(6)]);
	expect(await record([block(6, 1, 0)])).toBe(false);
});

test("[ING-11] a block whose parent is not the stored block means another fork", async () => {
	await record([block(5)]);
	expect(await record([block(6, 1)])).toBe(false);
	expect(await record([block(6, 1, 0)])).toBe(true);
});

test("[ING-11] a block that is not the parent of the stored block above means another fork", async () => {
	await record([block(9)]);
	expect(await record([block(7), block(8)])).toBe(true);
	await record([block(20)]);
	expect(await record([block(19, 1)])).toBe(false);
});

test("a block without a known parent contradicts no stored block", async () => {
	await record([block(5)]);
	expect(await record([{ ...block(6, 1), parentHash: null }])).toBe(true);
	expect(await record([block(7, 1)])).toBe(true);
});

test("blocks of another chain are not compared", async () => {
	await record([block(5)]);
	chainId++;
	expect(await record([block(5, 1)])).toBe(true);
	expect(await record([block(6, 1)])).toBe(true);
});

test("[ING-11] blocks below the reach of reorgs are pruned, except the newest of them as anchor", async () => {
	await record(blocks(1, 5));
	expect(await ask([block(6)], 4)).toMatchObject({ fits: true, unvouched: false });
	expect(await stored()).toEqual([6, 5, 4, 3]);
	await record([block(7), block(8)], 6);
	expect(await stored()).toEqual([8, 7, 6, 5]);
	await record([block(9)], 0);
	expect(await stored()).toEqual([9, 8, 7, 6, 5]);
});

test("[ING-11] settled blocks need no confirmation, and confirm the blocks linked to them", async () => {
	await record([...blocks(1, 3), settled(4)]);
	// The anchor is the newest below, however far.
	expect(await ask([settled(900)], 900)).toMatchObject({ fits: true, unvouched: false });
	expect(await stored()).toEqual([900, 4, 3, 2, 1]);
	expect(await ask([settled(5)], 5)).toMatchObject({ unvouched: false });
	expect(await stored()).toEqual([900, 5, 4]);
	await record([settled(901)], 901);
	expect(await stored()).toEqual([901, 900]);
});

test("[ING-11] below a hole no block is pruned until it is known to be in the chain", async () => {
	await record(blocks(1, 5));
	for (const given of [settled(900), settled(1_900), block(1_901)]) {
		const pruneBelow = given.settled ? given.number : given.number - 64;
		expect(await ask([given], pruneBelow)).toMatchObject({ fits: true, unvouched: true });
	}
	expect(await stored()).toEqual([1_901, 1_900, 900, 5, 4, 3, 2, 1]);
	await database.db.transaction((tx) => settleBlocks(tx, chainId, blocks(1, 5)));
	expect(await ask([block(1_902)], 1_838)).toMatchObject({ unvouched: false });
	expect(await stored()).toEqual([1_902, 1_901, 1_900, 900]);
});

test("[ING-11] a hole within reach of reorgs keeps the blocks below it, which may be of a dead fork", async () => {
	await record([...blocks(1, 5), ...blocks(7, 9)]);
	// 4 is linked to 5 alone: were 5 of a dead fork, 1 could be too.
	expect(await ask(blocks(10, 10), 4)).toMatchObject({ unvouched: false });
	expect(await stored()).toEqual([10, 9, 8, 7, 5, 4, 3, 2, 1]);
	expect(await ask(blocks(11, 12), 6)).toMatchObject({ unvouched: true });
	// The hole is filled: now each is linked to the newest.
	await record([block(6)]);
	expect(await ask(blocks(13, 13), 7)).toMatchObject({ unvouched: false });
	expect(await stored()).toEqual([13, 12, 11, 10, 9, 8, 7, 6]);
});

test("[ING-11] blocks with neighbouring numbers but without a parent hash are not linked", async () => {
	await record(blocks(1, 5));
	await record([{ ...settled(6), hash: hashOf(6, 1), parentHash: null }]);
	const above = [block(7, 1), block(8, 1), block(9, 1)];
	expect(await ask(above, 7)).toMatchObject({ fits: true, unvouched: true });
	expect(await stored()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test("[ING-11] a block is settled only if its hash is still the confirmed one", async () => {
	await record([block(1, 1), block(3)]);
	await database.db.transaction((tx) => settleBlocks(tx, chainId, [block(1), block(3)]));
	const known = await storedBlocks(database.db, chainId, 9);
	expect(known.map(({ number, settled }) => [number, settled])).toEqual([
		[3, true],
		[1, false],
	]);
});

test("[ING-11] blocks far below another stored block are reported as outdated", async () => {
	await record([block(100)]);
	expect(await ask([block(7)], 0, 101)).toMatchObject({ outdated: false });
	expect(await ask([block(8)], 0, 100)).toMatchObject({ outdated: true });
	expect(await ask([block(9)], 0, null)).toMatchObject({ outdated: false });
});

test("[ING-11] the newest blocks are returned, and those at which cursors stopped", async () => {
	await record(blocks(7, 9));
	const move = { chainId, from: null, headBlock: 9, atMs: 0 };
	const cursors = [
		{ ...move, lane: "mint", to: 9, toHash: hashOf(9) },
		{ ...move, lane: "sale", to: 3, toHash: hashOf(3, 1) },
	] as const;
	for (const cursor of cursors) {
		expect(await database.db.transaction((tx) => moveCursor(tx, cursor))).toBe(true);
	}
	expect(await storedBlocks(database.db, chainId, 2)).toEqual([
		block(9),
		block(8),
		{ number: 3, hash: hashOf(3, 1), parentHash: null, settled: true },
	]);
});

test("[ING-11] all blocks above a fork are deleted, and none below", async () => {
	await record([5, 6, 7, 8].map((number) => block(number)));
	await database.db.transaction((tx) => forgetBlocks(tx, chainId, 6));
	expect(await stored()).toEqual([6, 5]);
	expect(await record([block(7, 1, 0)])).toBe(true);
});
