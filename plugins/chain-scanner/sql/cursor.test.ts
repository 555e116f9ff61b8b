import { afterAll, beforeAll, expect, test } from "bun:test";
import { padHex } from "viem";
import {
	moveCursor,
	readCursor,
	readHead,
	resetCursors,
	touchCursor,
} from "#plugins/chain-scanner/sql/cursor.ts";
import {
	giveUpGaps,
	insertGap,
	nextGap,
	openRequest,
	shrinkGap,
} from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const move = (from: number | null, to: number, chainId = 1) =>
	database.db.transaction((tx) =>
		moveCursor(tx, {
			chainId,
			lane: "sale",
			from,
			to,
			toHash: padHex("0xb1", { size: 32 }),
			headBlock: to + 2,
			atMs: 1_700_000_000_000,
		}),
	);

test("[ING-09] a cursor moves only from the position that its lane read", async () => {
	expect(await readCursor(database.db, 1, "sale")).toBeNull();
	expect(await move(7, 9)).toBe(false);
	expect(await move(null, 5)).toBe(true);
	expect(await move(null, 6)).toBe(false);
	expect(await move(4, 8)).toBe(false);
	expect(await move(5, 8)).toBe(true);
	expect(await move(5, 9)).toBe(false);
	expect(await readCursor(database.db, 1, "sale")).toEqual({
		blockNumber: 8,
		blockHash: padHex("0xb1", { size: 32 }),
		headBlock: 10,
		indexedAtMs: 1_700_000_000_000,
		owes: false,
		sinceMs: null,
		untilMs: null,
		early: null,
		levelAtMs: null,
	});
	expect(await readCursor(database.db, 1, "mint")).toBeNull();
});

test("[API-18] a head that a lane could not reach is stored, and never lowers the stored one", async () => {
	await move(null, 5, 2);
	const at = { chainId: 2, lane: "sale" } as const;
	await touchCursor(database.db, { ...at, headBlock: 90 });
	await touchCursor(database.db, { ...at, headBlock: 80 });
	expect(await readCursor(database.db, 2, "sale")).toMatchObject({ blockNumber: 5, headBlock: 90 });
});

test("[ING-11] only cursors above a fork go back, to the fork's block", async () => {
	for (const [lane, to] of [
		["mint", 20],
		["sale", 9],
	] as const) {
		const toHash = padHex("0xb1", { size: 32 });
		const at = { chainId: 3, lane, from: null, to, toHash, headBlock: 25, atMs: 0 };
		await database.db.transaction((tx) => moveCursor(tx, at));
	}
	const hash = padHex("0xf0", { size: 32 });
	await database.db.transaction((tx) => resetCursors(tx, { chainId: 3, block: 9, hash }));
	const back = { blockNumber: 9, blockHash: hash, headBlock: 25 };
	expect(await readCursor(database.db, 3, "mint")).toMatchObject(back);
	const stays = { blockNumber: 9, blockHash: padHex("0xb1", { size: 32 }) };
	expect(await readCursor(database.db, 3, "sale")).toMatchObject(stays);
});

test("the head of a chain is the highest one that any of its lanes received, or 0", async () => {
	expect(await readHead(database.db, 4)).toBe(0);
	await move(null, 5, 4);
	expect(await readHead(database.db, 4)).toBe(7);
	await touchCursor(database.db, { chainId: 4, lane: "sale", headBlock: 90 });
	expect(await readHead(database.db, 4)).toBe(90);
});

test("a lane has the times between which all its blocks are read", async () => {
	const { db } = database;
	const chainId = 5;
	const at = { chainId, lane: "sale" as const, toHash: padHex("0xb1", { size: 32 }), atMs: 0 };
	const covered = async () => {
		const { sinceMs, untilMs } = (await readCursor(db, chainId, "sale")) ?? {};
		return [sinceMs, untilMs];
	};
	const step = (move: Partial<Parameters<typeof moveCursor>[1]> & { from: number | null }) =>
		db.transaction((tx) => moveCursor(tx, { ...at, to: 20, headBlock: 20, ...move }));
	await step({ from: null, first: { block: 10, atMs: 1_000 }, toAtMs: 2_000 });
	expect(await covered()).toEqual([1_000, 2_000]);
	// A part within a range ends with a block whose time nobody knows: what was known stays.
	await step({ from: 20, to: 25, toAtMs: null });
	expect(await covered()).toEqual([1_000, 2_000]);
	const range = { from: 26, to: 29 };
	const gap = { chainId, lane: "sale" as const, range, reason: "restart_behind" as const };
	await db.transaction((tx) => insertGap(tx, { ...gap, aboveAtMs: 3_000 }));
	await step({ from: 25, to: 30, toAtMs: 4_000 });
	expect(await covered()).toEqual([3_000, 4_000]);
	const owed = await nextGap(db, { chainId, lane: "sale", restMs: 0 });
	if (!owed) throw new Error("nothing is owed");
	await db.transaction((tx) => shrinkGap(tx, owed, { from: 28, fromAtMs: 2_800 }));
	expect(await covered()).toEqual([2_800, 4_000]);
	const rest = { ...owed, to: 27 };
	await db.transaction((tx) => shrinkGap(tx, rest, { from: 26, fromAtMs: 2_600 }));
	expect(await covered()).toEqual([1_000, 4_000]);
});

test("a lane that began with the chain's first block covers all time", async () => {
	const first = { block: 0, atMs: 9_000 };
	const move = { chainId: 6, lane: "mint" as const, from: null, to: 3, headBlock: 3, atMs: 0 };
	const toHash = padHex("0xb1", { size: 32 });
	await database.db.transaction((tx) => moveCursor(tx, { ...move, toHash, first, toAtMs: 9_500 }));
	expect(await readCursor(database.db, 6, "mint")).toMatchObject({ sinceMs: 0, untilMs: 9_500 });
});

test("blocks that a backfill adds below a lane's first one are covered once all are read", async () => {
	const { db } = database;
	const chainId = 7;
	const lane = "sale" as const;
	const toHash = padHex("0xb1", { size: 32 });
	const since = async () => (await readCursor(db, chainId, lane))?.sinceMs;
	const first = { block: 100, atMs: 10_000 };
	const move = { chainId, lane, from: null, to: 120, toHash, headBlock: 120, atMs: 0 };
	await db.transaction((tx) => moveCursor(tx, { ...move, first, toAtMs: 12_000 }));
	const ask = { chainId, lane, range: { from: 40, to: 99 } };
	await db.transaction((tx) => openRequest(tx, ask));
	const gap = await nextGap(db, { chainId, lane, restMs: 0 });
	if (!gap) throw new Error("nothing is owed");
	await db.transaction((tx) => shrinkGap(tx, gap, { from: 70, fromAtMs: 7_000 }));
	expect(await since()).toBe(10_000);
	const rest = { ...gap, to: 69 };
	await db.transaction((tx) => shrinkGap(tx, rest, { from: 40, fromAtMs: 4_000 }));
	expect(await since()).toBe(4_000);
});

test("blocks that the backfill gives up are no longer covered", async () => {
	const { db } = database;
	const chainId = 8;
	const lane = "mint" as const;
	const toHash = padHex("0xb1", { size: 32 });
	const first = { block: 10, atMs: 1_000 };
	const move = { chainId, lane, from: null, to: 500, toHash, headBlock: 500, atMs: 0 };
	await db.transaction((tx) => moveCursor(tx, { ...move, first, toAtMs: 50_000 }));
	const gap = { chainId, lane, range: { from: 50, to: 90 }, reason: "restart_behind" as const };
	await db.transaction((tx) => insertGap(tx, { ...gap, aboveAtMs: 9_100 }));
	await db.transaction((tx) => giveUpGaps(tx, { chainId, lane, below: 200 }));
	expect(await readCursor(db, chainId, lane)).toMatchObject({ sinceMs: 9_100, owes: false });
});
