import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { padHex } from "viem";
import { readQuarantined } from "#core/quarantine.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import {
	clipGaps,
	closeRequest,
	countUnread,
	findOldOwed,
	type GapReason,
	giveUpGaps,
	insertGap,
	listGaps,
	nextGap,
	openRequest,
	owedWithin,
	retryGaps,
	setTopAside,
	shrinkGap,
} from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("backfillRequest", () => {
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

	test("[ING-10] a repeated request continues with the rest, and adds no block again", async () => {
		expect(await open(1, 100)).toBe(true);
		const gap = await next();
		await database.db.transaction((tx) => shrinkGap(tx, gap, { from: 41, fromAtMs: null }));
		expect(await open(1, 100)).toBe(false);
		expect(await gaps()).toEqual(["1..40 requested"]);
		expect(await owedWithin(database.db, requestOf(1, 100))).toEqual({ blocks: 40, refused: 0 });
	});

	test("[ING-10] a request is deleted when it is done, and not before", async () => {
		await open(1, 10);
		await close(1, 10);
		expect(await open(1, 10)).toBe(false);
		const gap = await next();
		await database.db.transaction((tx) => shrinkGap(tx, gap, { from: 1, fromAtMs: null }));
		await close(1, 10);
		expect(await open(1, 10)).toBe(true);
		expect(await gaps()).toEqual(["1..10 requested"]);
	});

	test("[ING-10] a gap that already exists joins the request, and gaps around it are kept", async () => {
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

	test("[ING-10] after any requests no block is in two gaps, and none that was in a gap is lost", async () => {
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

	test("refused blocks are counted separately, and a new request tries them again", async () => {
		await open(1, 3);
		const gap = await next();
		await database.db.transaction((tx) => setTopAside(tx, gap, "range_refused"));
		expect(await owedWithin(database.db, requestOf(1, 3))).toEqual({ blocks: 3, refused: 1 });
		expect(await owedWithin(database.db, requestOf(1, 2))).toEqual({ blocks: 2, refused: 0 });
		await open(3, 3);
		expect(await owedWithin(database.db, requestOf(1, 3))).toEqual({ blocks: 3, refused: 0 });
	});
});

describe("gap", () => {
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

	test("a block that no reading made sense of is listed with why, counted, and read again when asked", async () => {
		const chain = await gapOf([1, 3]);
		const gap = await next(chain);
		const detail = "block 3 has two logs at 0";
		const aside = { ...gap, detail };
		await database.db.transaction((tx) => setTopAside(tx, aside, "contradicted"));
		const chainIds = [chain];
		const listed = await listGaps(database.db, { chainIds, limit: 10 });
		expect(listed.map(({ from, to, reason, detail }) => [from, to, reason, detail])).toEqual([
			[3, 3, "contradicted", detail],
			[1, 2, "restart_behind", null],
		]);
		const counted = await countUnread(database.db);
		expect(counted.filter((one) => one.chainId === chain)).toMatchObject([
			{ lane: "mint", blocks: 1 },
		]);
		expect((await next(chain)).to).toBe(2);
		expect(await database.db.transaction((tx) => retryGaps(tx, chainIds))).toBe(1);
		expect((await next(chain)).to).toBe(3);
	});

	test("[ING-10] the newest gap comes first, and shrinks from its top until it is empty", async () => {
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

	test("[ING-10] a gap that was read by another process is not read again", async () => {
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

	test("a block that was set aside stays a gap, comes last, rests, and then alternates with the others", async () => {
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

	test("a gap beyond any block number is skipped and marked, and the gaps behind it are read", async () => {
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

	test("[ING-11] a fork deletes gaps above it, and cuts a gap across it", async () => {
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
});

describe("oldGaps", () => {
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
	) =>
		database.db.transaction((tx) => insertGap(tx, { chainId, lane, range: { from, to }, reason }));
	const stand = (lane: LaneKind, to: number) => {
		const at = {
			from: null,
			to,
			toHash: padHex("0x1", { size: 32 }),
			headBlock: to + 900,
			atMs: 0,
		};
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

	test("[ING-10] age is measured from the newest block that a lane has read, not from an announced head", async () => {
		await owe(10, 20);
		expect(await below(5)).toBeNull();
		await stand("mint", 100);
		await stand("sale", 200);
		expect(await below(50)).toBe(150);
		// Block 10 is exactly as old as may be.
		expect(await below(190)).toBeNull();
		expect(await below(189)).toBe(11);
	});

	test("[ING-10] a requested gap is never too old, and another lane's gap is not affected", async () => {
		await stand("mint", 1_000);
		await owe(10, 20, "requested");
		await owe(10, 20, "restart_behind", "sale");
		expect(await below(5)).toBeNull();
		expect(await giveUp(900)).toEqual([]);
	});

	test("[ING-10] a block cut out of a requested gap stays requested, and is not given up", async () => {
		await stand("mint", 1_000);
		await owe(10, 12, "requested");
		const gap = await nextGap(database.db, { chainId, lane: "mint", restMs: 0 });
		if (!gap) throw new Error("nothing is owed");
		const aside = { ...gap, detail: "two logs at 0" };
		await database.db.transaction((tx) => setTopAside(tx, aside, "contradicted"));
		expect(await below(5)).toBeNull();
		expect(await giveUp(900)).toEqual([]);
		const listed = await listGaps(database.db, { chainIds: [chainId], limit: 10 });
		expect(listed.map(({ from, to, reason, detail }) => [from, to, reason, detail])).toEqual([
			[12, 12, "requested", "two logs at 0"],
			[10, 11, "requested", null],
		]);
	});

	test("[ING-10] old gaps are deleted, one across the limit keeps its upper part, and the rest is returned", async () => {
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
});
