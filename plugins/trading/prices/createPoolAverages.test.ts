import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { ratioAtSqrt, ratioAtTick, readSlot0 } from "#plugins/trading/poolRatio.ts";
import { createPoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import { type MarketPool, openPriceMarket } from "#plugins/trading/testing/priceMarket.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: our record of pools is written minute by minute, is there after a restart, is kept for
// a day, and supports a price only where it has the whole half hour and is new.

const NOW_MS = Date.parse("2026-11-18T17:00:00Z");
const POOL: Address = `0x${"c1".repeat(20)}`;
const OTHER: Address = `0x${"c2".repeat(20)}`;
const { signal } = new AbortController();

let database: TestDatabase;
let clock: { ms: number; nowMs(): number };
let market: ReturnType<typeof openPriceMarket>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate trading.pool_price");
	clock = { ms: NOW_MS, nowMs: () => clock.ms };
	market = openPriceMarket();
	for (const address of [POOL, OTHER]) market.pools.set(address, poolOf(address));
});

const poolOf = (address: Address): MarketPool => ({
	...{ address, token0: `0x${"1".repeat(40)}`, token1: `0x${"2".repeat(40)}`, fee: 3_000 },
	...{ raw0: 10n ** 20n, raw1: 10n ** 20n, meanTick: null },
});
const open = () => createPoolAverages({ rpc: market.rpc, db: database.db, clock });
const rows = async () => {
	const [row] = await database.db.query<{ count: number }>(
		"select count(*)::int as count from trading.pool_price",
	);
	return row?.count;
};

/** Notes a tick six times a minute, for so many minutes. */
async function note(minutes: number, tick: number, pools: readonly Address[] = [POOL]) {
	const averages = open();
	for (let reading = 0; reading < minutes * 6; reading++) {
		await averages.note(pools.map((pool) => ({ pool, tick })));
		clock.ms += 10_000;
	}
}

test("half an hour of readings is a whole mean, also for a process that has just begun", async () => {
	await note(30, 100);
	expect(await open().read([POOL, OTHER], signal)).toEqual([{ tick: 100, isWhole: true }, null]);
	expect(await rows()).toBe(30);
});

test("a record that is shorter, has gaps, or ended, says a mean and is not whole", async () => {
	await note(20, 100);
	expect(await open().read([POOL], signal)).toEqual([{ tick: 100, isWhole: false }]);
	await note(12, 100);
	expect(await open().read([POOL], signal)).toEqual([{ tick: 100, isWhole: true }]);
	clock.ms += 4 * MINUTE_MS;
	expect(await open().read([POOL], signal)).toEqual([{ tick: 100, isWhole: false }]);
	clock.ms += HOUR_MS;
	expect(await open().read([POOL], signal)).toEqual([null]);
});

test("each minute counts the same, and a price of one moment hardly moves the mean", async () => {
	await note(29, 0);
	await note(1, 30_000);
	expect(await open().read([POOL], signal)).toEqual([{ tick: 1_000, isWhole: true }]);
});

test("pools that two processes read, or that are configured twice, weigh no more", async () => {
	const [one, other] = [open(), open()];
	for (let minute = 0; minute < 30; minute++) {
		await Promise.all([
			one.note([
				{ pool: POOL, tick: 10 },
				{ pool: POOL, tick: 10 },
			]),
			other.note([{ pool: POOL, tick: 20 }]),
		]);
		clock.ms += MINUTE_MS;
	}
	expect(await open().read([POOL], signal)).toEqual([{ tick: 15, isWhole: true }]);
});

test("a day is kept by the database's time, whatever a process's clock says", async () => {
	const insert = (ago: string) =>
		database.db.execute(
			`insert into trading.pool_price (pool, minute, tick_sum, samples)
			values (decode($1, 'hex'), date_trunc('minute', now() - $2::interval), 7, 1)`,
			[POOL.slice(2), ago],
		);
	for (const ago of ["23 hours", "0", "-23 hours", "25 hours", "-25 hours"]) await insert(ago);
	clock.ms += 30 * 24 * HOUR_MS;
	await open().prune();
	expect(await rows()).toBe(3);
	clock.ms = 0;
	await open().prune();
	expect(await rows()).toBe(3);
});

test("the day says its least and greatest minute, once it has half an hour", async () => {
	await note(20, -50);
	expect((await open().day([POOL])).size).toBe(0);
	await note(20, 70);
	expect((await open().day([POOL])).get(POOL)).toMatchObject({ least: -50, greatest: 70 });
});

test("a pool's own history comes first, and a node that does not answer leaves the record", async () => {
	await note(30, 100);
	const pool = market.pools.get(POOL);
	if (!pool) throw new Error("it is there");
	market.pools.set(POOL, { ...pool, meanTick: -40 });
	expect(await open().read([POOL], signal)).toEqual([{ tick: -40, isWhole: true }]);
	market.node.stall = () => true;
	expect(await open().read([POOL], signal)).toEqual([{ tick: 100, isWhole: true }]);
});

test("a tick and a square root say the same price, both ways round", () => {
	const [low, high] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;
	const hops = [
		{ tokenIn: low, tokenOut: high },
		{ tokenIn: high, tokenOut: low },
	];
	for (const tick of [0, 1, -1, 23_027, -23_027, 276_324, -276_324, 600_000]) {
		const sqrtPriceX96 = BigInt(Math.round(1.0001 ** (tick / 2) * 2 ** 48)) << 48n;
		for (const hop of hops) {
			const [one, other] = [ratioAtTick(hop, tick), ratioAtSqrt(hop, sqrtPriceX96)];
			const apart = Number((one.num * other.den * 1_000_000n) / (one.den * other.num));
			expect(Math.abs(apart - 1_000_000)).toBeLessThanOrEqual(50);
		}
	}
	expect(readSlot0(`0x${"0".repeat(64)}${"f".repeat(64)}`)).toBeNull();
	expect(readSlot0(`0x${"1".padStart(64, "0")}${"f".repeat(64)}`)?.tick).toBe(-1);
	expect(readSlot0("0x")).toBeNull();
});
