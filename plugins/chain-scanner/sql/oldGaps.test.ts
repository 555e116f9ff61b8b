import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { padHex } from "viem";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { type GapReason, insertGap } from "#plugins/chain-scanner/sql/gap.ts";
import { findOldOwed, giveUpGaps } from "#plugins/chain-scanner/sql/oldGaps.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let chainId = 0;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => void chainId++);

const owe = (
	from: number,
	to: number,
	reason: GapReason = "restart_behind",
	lane: LaneKind = "mint",
) => database.db.transaction((tx) => insertGap(tx, { chainId, lane, range: { from, to }, reason }));
const stand = (lane: LaneKind, to: number) => {
	const at = { from: null, to, toHash: padHex("0x1", { size: 32 }), headBlock: to + 900, atMs: 0 };
	return database.db.transaction((tx) => moveCursor(tx, { chainId, lane, ...at }));
};
const below = (lagBlocksMax: number) =>
	findOldOwed(database.db, { chainId, lane: "mint", lagBlocksMax });
const giveUp = (block: number) =>
	database.db.transaction((tx) => giveUpGaps(tx, { chainId, lane: "mint", below: block }));
const left = () =>
	database.db.query(
		`select from_block as "from", to_block as "to", reason from chain_scanner.gap
		where chain_id = $1 and lane = 'mint' order by from_block`,
		[chainId],
	);

test("[ING-10] age is measured from the newest block that any lane has read, not from a rumour", async () => {
	await owe(10, 20);
	expect(await below(5)).toBeNull();
	await stand("mint", 100);
	await stand("sale", 200);
	expect(await below(50)).toBe(150);
	// Block 10 is exactly as old as may be.
	expect(await below(190)).toBeNull();
	expect(await below(189)).toBe(11);
});

test("[ING-10] what is requested is never too old, nor is another lane's gap this one's", async () => {
	await stand("mint", 1_000);
	await owe(10, 20, "requested");
	await owe(10, 20, "restart_behind", "sale");
	expect(await below(5)).toBeNull();
	expect(await giveUp(900)).toEqual([]);
});

test("[ING-10] old gaps go, one across the line keeps what is above it, and all of it is answered", async () => {
	await owe(1, 10);
	await owe(15, 15, "range_refused");
	await owe(40, 60);
	await owe(80, 90);
	await owe(5, 7, "requested");
	expect(await giveUp(50)).toEqual([
		{ from: 1, to: 10, reason: "restart_behind" },
		{ from: 15, to: 15, reason: "range_refused" },
		{ from: 40, to: 49, reason: "restart_behind" },
	]);
	expect(await left()).toEqual([
		{ from: 5, to: 7, reason: "requested" },
		{ from: 50, to: 60, reason: "restart_behind" },
		{ from: 80, to: 90, reason: "restart_behind" },
	]);
	expect(await giveUp(50)).toEqual([]);
});
