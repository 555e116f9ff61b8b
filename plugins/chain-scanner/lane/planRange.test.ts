import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { padHex } from "viem";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { dbFault } from "#core/db/Database.ts";
import { AssertionFailed } from "#core/fault.ts";
import { takeLease } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import {
	backfillPace,
	failureKind,
	giveUpOld,
	planRange,
	planStart,
} from "#plugins/chain-scanner/lane/planRange.ts";
import {
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	ROWS_PER_WRITE_MAX,
	UNSETTLED_RANGE_MAX,
} from "#plugins/chain-scanner/limits.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { insertGap } from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("backfillPace", () => {
	const paceIn = (calmMs: number) => backfillPace({ calmForMs: () => calmMs });

	test("backfill is gentle while a block may come, and as fast as lanes that catch up while none may", () => {
		const gentle = { kind: "gentle", rowsMax: GENTLE_ROWS_PER_WRITE_MAX } as const;
		expect(paceIn(0)).toEqual(gentle);
		expect(paceIn(CALM_MS_MIN - 1)).toEqual(gentle);
		const calm = { kind: "calm", rowsMax: ROWS_PER_WRITE_MAX } as const;
		expect(paceIn(CALM_MS_MIN)).toEqual(calm);
		expect(paceIn(Number.POSITIVE_INFINITY)).toEqual(calm);
	});

	test("where nobody follows the head there is nobody to give way to", () => {
		expect(backfillPace(undefined).kind).toBe("calm");
	});
});

describe("failureKind", () => {
	const sqlError = (code: string) => Object.assign(new Error("from PostgreSQL"), { code });

	test("[ING-08] only a refused range counts as one; silence, lag and another chain are waited out", () => {
		expect(failureKind(rpcFault.range()).kind).toBe("refused");
		for (const away of [rpcFault.transport(), rpcFault.refused(), rpcFault.wrongChain()]) {
			expect(failureKind(away).kind).toBe("away");
		}
		expect(failureKind(scannerFault.inconsistent()).kind).toBe("away");
	});

	test("rows that PostgreSQL or a sink cannot take are refused; an outage of the database is not that", () => {
		for (const error of [sqlError("22003"), sqlError("23514"), new AssertionFailed("x")]) {
			expect(failureKind(error)).toEqual({ kind: "refused", code: "rows_refused" });
		}
		expect(failureKind(new TypeError("x")).kind).toBe("refused");
		for (const code of ["57P01", "08006", "40P01", "53300", "ECONNREFUSED"]) {
			expect(failureKind(sqlError(code))).toEqual({ kind: "unplaced", code: "unexpected" });
		}
	});

	test("[ING-09] a fenced write and a moved cursor send the lane back to its lease and its cursor", () => {
		expect(failureKind(dbFault.fenced()).kind).toBe("fenced");
		expect(failureKind(scannerFault.cursorMoved()).kind).toBe("unplaced");
		expect(failureKind("thrown as text").kind).toBe("unplaced");
	});

	test("[ING-08] how much less to ask for is passed on, where the node said it", () => {
		expect(failureKind(rpcFault.range({ meta: { rangeBlocksMax: 500 } }))).toEqual({
			kind: "refused",
			code: "rpc_range",
			blocksMax: 500,
		});
		expect(failureKind(rpcFault.range({ meta: { timesTooLarge: 3 } }))).toMatchObject({
			timesTooLarge: 3,
		});
		expect(failureKind(rpcFault.range({ meta: { rangeBlocksMax: "all" } }))).toEqual({
			kind: "refused",
			code: "rpc_range",
		});
	});

	test("[ING-11] another fork is asked about; one that is too deep waits with its own name", () => {
		expect(failureKind(scannerFault.forked()).kind).toBe("forked");
		expect(failureKind(scannerFault.reorgTooDeep())).toEqual({
			kind: "unplaced",
			code: "reorg_too_deep",
		});
	});
});

describe("giveUpOld", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	let chainId = 500;

	/** What is given up of blocks 1 to 10 when the newest read is 1,000. */
	async function givenUp(lane: LaneKind, lagBlocksMax: number | undefined, holder = "me") {
		const { db } = database;
		chainId++;
		const name = `backfill:${chainId}`;
		const lease = await takeLease(db, { name, holder: "me", durationMs: 60_000 });
		if (!lease) throw new Error("the lease is taken");
		const token = holder === "me" ? lease.token : lease.token + 1;
		const told: number[] = [];
		await db.transaction(async (tx) => {
			const toHash = padHex("0x1", { size: 32 });
			const at = {
				chainId,
				lane: "mint",
				from: null,
				to: 1_000,
				toHash,
				headBlock: 1_000,
			} as const;
			await moveCursor(tx, { ...at, atMs: 0 });
			await insertGap(tx, { chainId, lane, range: { from: 1, to: 10 }, reason: "restart_behind" });
		});
		const options = { chainId, db, log: silentLog, lagBlocksMax, source: { kind: lane } };
		const refused = await giveUpOld(
			{ ...options, onGivenUp: ({ blocks }) => void told.push(blocks) },
			{ name, token },
		).catch((error) => error.code);
		const rows = await db.query("select from chain_scanner.gap where chain_id = $1", [chainId]);
		return { told, left: rows.length, refused };
	}

	test("[ING-10] old blocks of mints and sales are given up, where there is a limit", async () => {
		expect(await givenUp("sale", 100)).toEqual({ told: [10], left: 0, refused: undefined });
		expect(await givenUp("sale", undefined)).toMatchObject({ told: [], left: 1 });
		expect(await givenUp("sale", 999)).toMatchObject({ told: [], left: 1 });
	});

	test("no move of a token is ever given up: owners would be wrong for good", async () => {
		expect(await givenUp("transfer", 100)).toMatchObject({ told: [], left: 1 });
	});

	test("[ING-09] a process that lost the backfill gives nothing up any more", async () => {
		expect(await givenUp("mint", 100, "another")).toEqual({ told: [], left: 1, refused: "fenced" });
	});
});

describe("planRange", () => {
	const asks = fc.record({
		from: fc.integer({ min: 0, max: 5_000 }),
		head: fc.integer({ min: 0, max: 5_000 }),
		blocksMax: fc.integer({ min: 1, max: 1_000 }),
		reorgDepthMax: fc.integer({ min: 64, max: 500 }),
	});

	test("[ING-11] no range mixes blocks that may leave the chain with blocks that may not", () => {
		fc.assert(
			fc.property(asks, (ask) => {
				const { range, read } = planRange(ask);
				expect(read.unsettledFrom).toBe(ask.head - ask.reorgDepthMax + 1);
				const isUnsettled = range.from >= read.unsettledFrom;
				expect(range.to >= read.unsettledFrom).toBe(isUnsettled);
				// A settled range is one that the node itself has moved far enough beyond.
				expect(read.settledBy).toBe(isUnsettled ? null : range.to + ask.reorgDepthMax);
				if (!isUnsettled) expect(range.to + ask.reorgDepthMax).toBeLessThanOrEqual(ask.head);
			}),
		);
	});

	test("[ING-08] a range begins where it was asked to, is never empty and never too wide", () => {
		fc.assert(
			fc.property(asks, (ask) => {
				const { range, read } = planRange(ask);
				const blocks = range.to - range.from + 1;
				expect(range.from).toBe(ask.from);
				expect(blocks).toBeGreaterThan(0);
				expect(blocks).toBeLessThanOrEqual(ask.blocksMax);
				if (range.from >= read.unsettledFrom) {
					expect(blocks).toBeLessThanOrEqual(UNSETTLED_RANGE_MAX);
				}
				if (ask.from <= ask.head) expect(range.to).toBeLessThanOrEqual(ask.head);
			}),
		);
	});
});

describe("planStart", () => {
	test("[ING-03] a first start begins at the head, never with history", () => {
		expect(planStart({ cursor: null, head: 5_000, scanFrom: null })).toEqual({
			next: 5_000,
			gap: null,
		});
	});

	test("a first start begins where NFT_SCAN_FROM_BLOCK says", () => {
		expect(planStart({ cursor: null, head: 5_000, scanFrom: 7 })).toEqual({ next: 7, gap: null });
	});

	test("[ING-03] a restart at most one window behind goes on from its cursor", () => {
		expect(planStart({ cursor: 4_000, head: 5_000, scanFrom: 7 })).toEqual({
			next: 4_001,
			gap: null,
		});
		expect(planStart({ cursor: 5_000, head: 5_000, scanFrom: null }).next).toBe(5_001);
	});

	test("[ING-03] a restart further behind begins at the head and leaves a gap", () => {
		expect(planStart({ cursor: 3_999, head: 5_000, scanFrom: null })).toEqual({
			next: 5_000,
			gap: { from: 4_000, to: 4_999 },
		});
	});

	test("a cursor above the head waits: nothing is read twice and nothing is a gap", () => {
		expect(planStart({ cursor: 9, head: 5, scanFrom: null })).toEqual({ next: 10, gap: null });
	});

	test("[ING-03] whatever the distance, every block is read or in the gap, and none twice", () => {
		fc.assert(
			fc.property(fc.nat(100_000), fc.nat(100_000), (cursor, distance) => {
				const head = cursor + distance;
				const { next, gap } = planStart({ cursor, head, scanFrom: null });
				expect(gap ? gap.from : next).toBe(cursor + 1);
				if (gap) expect(gap.to).toBe(next - 1);
			}),
		);
	});
});
