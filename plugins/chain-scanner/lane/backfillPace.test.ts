import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { padHex } from "viem";
import { takeLease } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { backfillPace, giveUpOld } from "#plugins/chain-scanner/lane/backfillPace.ts";
import {
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	ROWS_PER_WRITE_MAX,
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

	test("backfill is calm where no lane follows the head", () => {
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

	test("[ING-09] a process that lost the backfill's lease gives up no blocks", async () => {
		expect(await givenUp("mint", 100, "another")).toEqual({ told: [], left: 1, refused: "fenced" });
	});
});
