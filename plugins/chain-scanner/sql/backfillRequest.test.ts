import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import {
	closeRequest,
	openRequest,
	owedWithin,
} from "#plugins/chain-scanner/sql/backfillRequest.ts";
import { insertGap, nextGap, setTopAside, shrinkGap } from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let chainId = 0;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => void chainId++);

const requestOf = (from: number, to: number) => {
	return { chainId, lane: "mint", range: { from, to } } as const;
};
const open = (from: number, to: number) =>
	database.db.transaction((tx) => openRequest(tx, requestOf(from, to)));
const close = (from: number, to: number) =>
	database.db.transaction((tx) => closeRequest(tx, requestOf(from, to)));
const owe = (from: number, to: number) =>
	database.db.transaction((tx) =>
		insertGap(tx, { ...requestOf(from, to), reason: "restart_behind" }),
	);
const next = async () => {
	const gap = await nextGap(database.db, { chainId, lane: "mint", restMs: 0 });
	if (!gap) throw new Error("nothing is owed");
	return gap;
};
const gaps = async () => {
	const rows = await database.db.query<{ from: number; to: number; reason: string }>(
		`select from_block as "from", to_block as "to", reason from chain_scanner.gap
		where chain_id = $1 order by from_block`,
		[chainId],
	);
	return rows.map(({ from, to, reason }) => `${from}..${to} ${reason}`);
};

test("[ING-10] the same request again goes on with what is left, and owes nothing anew", async () => {
	expect(await open(1, 100)).toBe(true);
	const gap = await next();
	await database.db.transaction((tx) => shrinkGap(tx, gap, { from: 41, fromAtMs: null }));
	expect(await open(1, 100)).toBe(false);
	expect(await gaps()).toEqual(["1..40 requested"]);
	expect(await owedWithin(database.db, requestOf(1, 100))).toEqual({ blocks: 40, refused: 0 });
});

test("[ING-10] a request that is done is forgotten, and not before", async () => {
	await open(1, 10);
	await close(1, 10);
	expect(await open(1, 10)).toBe(false);
	const gap = await next();
	await database.db.transaction((tx) => shrinkGap(tx, gap, { from: 1, fromAtMs: null }));
	await close(1, 10);
	expect(await open(1, 10)).toBe(true);
	expect(await gaps()).toEqual(["1..10 requested"]);
});

test("[ING-10] what is owed already becomes part of the request; around it nothing changes", async () => {
	await owe(1, 20);
	await owe(40, 45);
	await owe(90, 120);
	await open(10, 100);
	expect(await gaps()).toEqual([
		"1..9 restart_behind",
		"10..100 requested",
		"101..120 restart_behind",
	]);
	await open(5, 15);
	expect(await gaps()).toEqual([
		"1..4 restart_behind",
		"5..15 requested",
		"16..100 requested",
		"101..120 restart_behind",
	]);
});

test("[ING-10] whatever is requested, no block is owed twice and none that was owed is lost", async () => {
	const span = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 12 }));
	await fc.assert(
		fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 6 }), async (spans) => {
			chainId++;
			const wanted = new Set<number>();
			for (const [from, more] of spans) {
				await open(from, from + more);
				for (let block = from; block <= from + more; block++) wanted.add(block);
			}
			const rows = await database.db.query<{ block: number }>(
				`select generate_series(from_block, to_block) as block from chain_scanner.gap
				where chain_id = $1 order by block`,
				[chainId],
			);
			expect(rows.map(({ block }) => block)).toEqual([...wanted].sort((a, b) => a - b));
		}),
		{ numRuns: 25 },
	);
});

test("blocks that were refused are told apart, and a new request takes them up again", async () => {
	await open(1, 3);
	const gap = await next();
	await database.db.transaction((tx) => setTopAside(tx, gap, "range_refused"));
	expect(await owedWithin(database.db, requestOf(1, 3))).toEqual({ blocks: 3, refused: 1 });
	expect(await owedWithin(database.db, requestOf(1, 2))).toEqual({ blocks: 2, refused: 0 });
	await open(3, 3);
	expect(await owedWithin(database.db, requestOf(1, 3))).toEqual({ blocks: 3, refused: 0 });
});
