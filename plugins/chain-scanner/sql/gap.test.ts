import { afterAll, beforeAll, expect, test } from "bun:test";
import { readQuarantined } from "#core/quarantine/sql/readQuarantined.ts";
import {
	clipGaps,
	insertGap,
	nextGap,
	setTopAside,
	shrinkGap,
} from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

let chainId = 0;
const gapOf = async (...ranges: [number, number][]) => {
	chainId++;
	for (const [from, to] of ranges) {
		const range = { from, to };
		const gap = { chainId, lane: "mint", range, reason: "restart_behind" } as const;
		await database.db.transaction((tx) => insertGap(tx, gap));
	}
	return chainId;
};
const next = async (of: number, restMs = 0) => {
	const gap = await nextGap(database.db, { chainId: of, lane: "mint", restMs });
	if (!gap) throw new Error("nothing is owed");
	return gap;
};

test("[ING-10] the newest gap comes first, and shrinks from its top until it is gone", async () => {
	const chain = await gapOf([1, 9], [20, 29]);
	const gap = await next(chain);
	expect([gap.from, gap.to]).toEqual([20, 29]);
	expect(
		await database.db.transaction((tx) => shrinkGap(tx, gap, { from: 25, fromAtMs: null })),
	).toBe(true);
	const rest = await next(chain);
	expect([rest.from, rest.to]).toEqual([20, 24]);
	expect(
		await database.db.transaction((tx) => shrinkGap(tx, rest, { from: 20, fromAtMs: null })),
	).toBe(true);
	expect((await next(chain)).to).toBe(9);
	expect(await nextGap(database.db, { chainId: chain, lane: "sale", restMs: 0 })).toBeNull();
});

test("[ING-10] what was drained meanwhile is not drained again: the gap must end where it did", async () => {
	const chain = await gapOf([1, 9]);
	const stale = await next(chain);
	await database.db.transaction((tx) => shrinkGap(tx, stale, { from: 7, fromAtMs: null }));
	for (const from of [4, 1]) {
		expect(
			await database.db.transaction((tx) => shrinkGap(tx, stale, { from, fromAtMs: null })),
		).toBe(false);
	}
	const aside = await database.db.transaction((tx) => setTopAside(tx, stale, "range_refused"));
	expect(aside).toBe(false);
	const left = await next(chain);
	expect([left.from, left.to]).toEqual([1, 6]);
});

test("a block set aside is owed still, comes last, rests, and takes its turn with the others", async () => {
	const chain = await gapOf([1, 3]);
	const order: number[] = [];
	for (let turn = 0; turn < 5; turn++) {
		const gap = await next(chain);
		order.push(gap.to);
		expect(gap.tried).toBe(turn > 2);
		await database.db.transaction((tx) => setTopAside(tx, gap, "range_refused"));
	}
	expect(order).toEqual([3, 2, 1, 3, 2]);
	const rested = await nextGap(database.db, { chainId: chain, lane: "mint", restMs: 60_000 });
	expect(rested).toBeNull();
});

test("a gap whose blocks no chain has is left out and marked, and those behind it have their turn", async () => {
	const chain = await gapOf([1, 9], [20, 29]);
	await database.db.execute(
		`update chain_scanner.gap set to_block = 9007199254740993
		where chain_id = $1 and from_block = 20`,
		[chain],
	);
	expect(await nextGap(database.db, { chainId: chain, lane: "mint", restMs: 0 })).toBeNull();
	expect((await next(chain)).to).toBe(9);
	expect(await readQuarantined(database.db)).toMatchObject([
		{ table: "chain_scanner.gap", count: 1 },
	]);
});

test("[ING-11] a fork cuts what is owed: above it nothing is, and a gap across it ends there", async () => {
	const chain = await gapOf([1, 5], [8, 12], [13, 20]);
	const other = await gapOf([13, 20]);
	await database.db.transaction((tx) => clipGaps(tx, { chainId: chain, above: 10 }));
	const rows = await database.db.query(
		`select from_block as "from", to_block as "to" from chain_scanner.gap
		where chain_id = $1 order by from_block`,
		[chain],
	);
	expect(rows).toEqual([
		{ from: 1, to: 5 },
		{ from: 8, to: 10 },
	]);
	expect((await next(other)).to).toBe(20);
});
