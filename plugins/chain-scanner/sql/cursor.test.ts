import { afterAll, beforeAll, expect, test } from "bun:test";
import { padHex } from "viem";
import { moveCursor, readCursor, touchCursor } from "#plugins/chain-scanner/sql/cursor.ts";
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
