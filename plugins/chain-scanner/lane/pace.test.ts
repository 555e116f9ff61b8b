import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
	createLogWindow,
	failureKind,
	giveUpOld,
} from "#plugins/chain-scanner/lane/pace.ts";
import {
	ANSWER_BYTES_AIM,
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	ROWS_PER_WRITE_MAX,
} from "#plugins/chain-scanner/limits.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { insertGap } from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("backfillPace", () => {
	describe("backfillPace", () => {
		const paceIn = (calmMs: number) => backfillPace({ calmForMs: () => calmMs });

		test("backfill writes few rows at a time while a block is expected, and many while none is", () => {
			const gentle = { kind: "gentle", rowsMax: GENTLE_ROWS_PER_WRITE_MAX } as const;
			expect(paceIn(0)).toEqual(gentle);
			expect(paceIn(CALM_MS_MIN - 1)).toEqual(gentle);
			const calm = { kind: "calm", rowsMax: ROWS_PER_WRITE_MAX } as const;
			expect(paceIn(CALM_MS_MIN)).toEqual(calm);
			expect(paceIn(Number.POSITIVE_INFINITY)).toEqual(calm);
		});

		test("backfill writes many rows at a time if no lane follows the head", () => {
			expect(backfillPace(undefined).kind).toBe("calm");
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
				await insertGap(tx, {
					chainId,
					lane,
					range: { from: 1, to: 10 },
					reason: "restart_behind",
				});
			});
			const options = { chainId, db, log: silentLog, lagBlocksMax, source: { kind: lane } };
			const refused = await giveUpOld(
				{ ...options, onGivenUp: ({ blocks }) => void told.push(blocks) },
				{ name, token },
			).catch((error) => error.code);
			const rows = await db.query("select from chain_scanner.gap where chain_id = $1", [chainId]);
			return { told, left: rows.length, refused };
		}

		test("[ING-10] old blocks of mints and sales are given up if there is a limit of age", async () => {
			expect(await givenUp("sale", 100)).toEqual({ told: [10], left: 0, refused: undefined });
			expect(await givenUp("sale", undefined)).toMatchObject({ told: [], left: 1 });
			expect(await givenUp("sale", 999)).toMatchObject({ told: [], left: 1 });
		});

		test("no block of transfers is ever given up, because owners would stay wrong", async () => {
			expect(await givenUp("transfer", 100)).toMatchObject({ told: [], left: 1 });
		});

		test("[ING-09] a process that lost the backfill's lease gives up no blocks", async () => {
			expect(await givenUp("mint", 100, "another")).toEqual({
				told: [],
				left: 1,
				refused: "fenced",
			});
		});
	});
});

describe("createLogWindow", () => {
	describe("createLogWindow", () => {
		const load = (blocks: number, logCount: number, answerBytes = 0) => {
			return { blocks, logCount, answerBytes };
		};

		test("[ING-08] the window starts at 1,000 blocks and halves above 10,000 logs, not at 10,000", () => {
			const window = createLogWindow();
			expect(window.blocks).toBe(1_000);
			window.answered(load(1_000, 10_000));
			expect(window.blocks).toBe(1_000);
			window.answered(load(1_000, 10_001));
			expect(window.blocks).toBe(500);
		});

		test("[ING-08] a refused range halves the window down to one block and no further", () => {
			const window = createLogWindow();
			for (let step = 0; step < 20; step++) window.refused({ blocks: window.blocks });
			expect(window.blocks).toBe(1);
		});

		test("a range that the head shortened is halved from its own size", () => {
			const window = createLogWindow();
			window.refused({ blocks: 10 });
			expect(window.blocks).toBe(5);
		});

		test("[ING-08] after windows with few logs the window doubles, up to 1,000 blocks", () => {
			const window = createLogWindow();
			window.answered(load(1_000, 20_000));
			window.answered(load(500, 5_001));
			expect(window.blocks).toBe(500);
			window.answered(load(500, 5_000));
			expect(window.blocks).toBe(1_000);
			window.answered(load(1_000, 0));
			expect(window.blocks).toBe(1_000);
		});

		test("[ING-08] the answer for one block at the head does not change a window of hundreds", () => {
			const window = createLogWindow();
			window.answered(load(1_000, 20_000));
			window.answered(load(1, 10));
			expect(window.blocks).toBe(500);
		});

		test("an answer that is too large by a factor halves the window until it fits", () => {
			for (const [timesTooLarge, blocks] of [
				[1.5, 500],
				[7.9, 125],
				[10.3, 62],
				[1e9, 1],
			] as const) {
				const window = createLogWindow();
				window.refused({ blocks: 1_000, timesTooLarge });
				expect(window.blocks).toBe(blocks);
			}
		});

		test("the window does not grow back to a refused size, unless the blocks became smaller", () => {
			const window = createLogWindow();
			window.refused({ blocks: 1_000, timesTooLarge: 10 });
			expect(window.blocks).toBe(62);
			for (let step = 0; step < 9; step++) window.answered(load(62, 1_240, ANSWER_BYTES_AIM / 3));
			expect(window.blocks).toBe(62);
			window.answered(load(62, 600, ANSWER_BYTES_AIM / 8));
			expect(window.blocks).toBe(124);
		});

		test("the window is limited to the blocks that fit into one answer at their recent size", () => {
			const window = createLogWindow();
			expect(window.isMeasured).toBe(false);
			window.answered(load(3, 100, (3 * ANSWER_BYTES_AIM) / 70));
			expect([window.blocks, window.isMeasured]).toEqual([70, true]);
			window.answered(load(70, 2_000, ANSWER_BYTES_AIM * 1.4));
			expect(window.blocks).toBe(50);
			window.answered(load(50, 2_000, ANSWER_BYTES_AIM * 0.4));
			expect(window.blocks).toBe(100);
			// One block larger than any answer is still asked for.
			window.answered(load(1, 2_000, ANSWER_BYTES_AIM * 9));
			expect(window.blocks).toBe(1);
		});

		test("[ING-14] a provider's stated limit of blocks is never exceeded", () => {
			const window = createLogWindow();
			window.refused({ blocks: 1_000, blocksMax: 800 });
			expect(window.blocks).toBe(800);
			// What makes no sense is halved as any other refusal.
			window.refused({ blocks: 800, blocksMax: 5_000 });
			expect(window.blocks).toBe(400);
			window.refused({ blocks: 400, blocksMax: 0 });
			expect(window.blocks).toBe(200);
		});

		test("[ING-08] a provider's stated limit of blocks becomes the next window", () => {
			const window = createLogWindow();
			window.refused({ blocks: 1_000, blocksMax: 100 });
			expect(window.blocks).toBe(100);
			// What it says is no help where it allows what it just refused, or nothing at all.
			for (const blocksMax of [100, 5_000, 0, -3]) {
				const other = createLogWindow();
				other.refused({ blocks: 100, blocksMax });
				expect(other.blocks).toBe(50);
			}
		});

		test("[ING-08] a limit that is stated repeatedly is tested ever less often", () => {
			const window = createLogWindow();
			let refusals = 0;
			for (let step = 0; step < 2_000; step++) {
				if (window.blocks <= 100) window.answered(load(window.blocks, 0));
				else {
					refusals++;
					window.refused({ blocks: window.blocks, blocksMax: 100 });
				}
			}
			expect(refusals).toBeLessThan(16);
			// It is tried all the same: some say it of just these blocks.
			for (let step = 0; step < 300; step++) window.answered(load(window.blocks, 0));
			expect(window.blocks).toBeGreaterThan(100);
		});

		test("several refused ranges of one size narrow the window once", () => {
			const dense = { blocks: 1_024, timesTooLarge: 4 };
			const refused = createLogWindow(1_024);
			for (let range = 0; range < 3; range++) refused.refused(dense);
			expect(refused.blocks).toBe(256);
			const answered = createLogWindow(1_024);
			for (let range = 0; range < 3; range++) answered.answered(load(1_024, 10_001));
			expect(answered.blocks).toBe(512);
		});
	});
});

describe("failureKind", () => {
	describe("failureKind", () => {
		const sqlError = (code: string) => Object.assign(new Error("from PostgreSQL"), { code });

		test("[ING-08] only a refused range shrinks the window; after silence, lag or a wrong chain the lane waits", () => {
			expect(failureKind(rpcFault.range()).kind).toBe("refused");
			for (const away of [rpcFault.transport(), rpcFault.refused(), rpcFault.wrongChain()]) {
				expect(failureKind(away).kind).toBe("away");
			}
			expect(failureKind(scannerFault.inconsistent()).kind).toBe("away");
		});

		test("rows that PostgreSQL or a sink refuses are rows_refused; an outage of the database is not", () => {
			for (const error of [sqlError("22003"), sqlError("23514"), new AssertionFailed("x")]) {
				expect(failureKind(error)).toEqual({ kind: "refused", code: "rows_refused" });
			}
			expect(failureKind(new TypeError("x")).kind).toBe("refused");
			for (const code of ["57P01", "08006", "40P01", "53300", "ECONNREFUSED"]) {
				expect(failureKind(sqlError(code))).toEqual({ kind: "unplaced", code: "unexpected" });
			}
		});

		test("[ING-09] after a fenced write or a moved cursor the lane takes its lease and cursor again", () => {
			expect(failureKind(dbFault.fenced()).kind).toBe("fenced");
			expect(failureKind(scannerFault.cursorMoved()).kind).toBe("unplaced");
			expect(failureKind("thrown as text").kind).toBe("unplaced");
		});

		test("[ING-08] the node's hint on a smaller range is passed on", () => {
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

		test("[ING-11] a failure by another fork starts a fork check; a fork that is too deep has its own kind", () => {
			expect(failureKind(scannerFault.forked()).kind).toBe("forked");
			expect(failureKind(scannerFault.reorgTooDeep())).toEqual({
				kind: "unplaced",
				code: "reorg_too_deep",
			});
		});
	});
});
