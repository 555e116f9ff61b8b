import { afterAll, beforeAll, expect, test } from "bun:test";
import { padHex } from "viem";
import {
	moveCursor,
	readCursor,
	readHead,
	resetCursors,
	touchCursor,
} from "#plugins/chain-scanner/sql/cursor.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
}, 60_000);
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

test("[ING-09] a cursor moves only from where its lane left it", async () => {
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
	});
	expect(await readCursor(database.db, 1, "mint")).toBeNull();
});

test("[API-18] a head that a lane could not reach is noted, and never lowers the one it knew", async () => {
	await move(null, 5, 2);
	const at = { chainId: 2, lane: "sale" } as const;
	await touchCursor(database.db, { ...at, headBlock: 90 });
	await touchCursor(database.db, { ...at, headBlock: 80 });
	expect(await readCursor(database.db, 2, "sale")).toMatchObject({ blockNumber: 5, headBlock: 90 });
});

test("[ING-11] after a fork only the lanes that went beyond it go back, and stand on its block", async () => {
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

test("the head of a chain is the highest that any of its lanes heard of, and 0 before that", async () => {
	expect(await readHead(database.db, 4)).toBe(0);
	await move(null, 5, 4);
	expect(await readHead(database.db, 4)).toBe(7);
	await touchCursor(database.db, { chainId: 4, lane: "sale", headBlock: 90 });
	expect(await readHead(database.db, 4)).toBe(90);
});
