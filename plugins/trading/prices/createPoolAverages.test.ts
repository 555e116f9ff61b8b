import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { isHeldBy, ratioAtSqrt, ratioAtTick, readSlot0 } from "#plugins/trading/poolRatio.ts";
import { consult, createPoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import { type MarketPool, openPriceMarket } from "#plugins/trading/testing/priceMarket.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: our record of pools is written minute by minute, is there after a restart, is kept for
// a day, and supports a price only where it has the whole half hour and is new. A price at which a
// pool held nothing supports nothing, by the pool's own history and by our record.

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
	...{ raw0: DEPTH, raw1: DEPTH, meanTick: null },
});
/** The liquidity of a pool that holds as much of both. */
const DEPTH = 10n ** 20n;
/** What is said of a mean whose pool held all the time what it holds now. */
const whole = (tick: number) => ({ tick, isWhole: true, liquidity: DEPTH });
const partly = (tick: number, liquidity: bigint | null = DEPTH) => {
	return { tick, isWhole: false, liquidity };
};
const open = () => createPoolAverages({ rpc: market.rpc, db: database.db, clock });
const rows = async () => {
	const [row] = await database.db.query<{ count: number }>(
		"select count(*)::int as count from trading.pool_price",
	);
	return row?.count;
};

/** Notes a tick six times a minute, for so many minutes. */
async function note(minutes: number, tick: number, liquidity = DEPTH) {
	const averages = open();
	for (let reading = 0; reading < minutes * 6; reading++) {
		await averages.note([{ pool: POOL, tick, liquidity }]);
		clock.ms += 10_000;
	}
}

test("half an hour of readings gives a complete average, also for a process that has just begun", async () => {
	await note(30, 100);
	expect(await open().read([POOL, OTHER], signal)).toEqual([whole(100), null]);
	expect(await rows()).toBe(30);
});

test("a record that is shorter, has gaps, or ended, gives an average that is not complete", async () => {
	await note(20, 100);
	expect(await open().read([POOL], signal)).toEqual([partly(100)]);
	await note(12, 100);
	expect(await open().read([POOL], signal)).toEqual([whole(100)]);
	clock.ms += 4 * MINUTE_MS;
	expect(await open().read([POOL], signal)).toEqual([partly(100)]);
	clock.ms += HOUR_MS;
	expect(await open().read([POOL], signal)).toEqual([null]);
});

test("each minute has the same weight, and a single price hardly changes the average", async () => {
	await note(29, 0);
	await note(1, 30_000);
	expect(await open().read([POOL], signal)).toEqual([whole(1_000)]);
});

test("pools that two processes read, or that are configured twice, have no more weight", async () => {
	const [one, other] = [open(), open()];
	for (let minute = 0; minute < 30; minute++) {
		await Promise.all([
			one.note([
				{ pool: POOL, tick: 10, liquidity: DEPTH },
				{ pool: POOL, tick: 10, liquidity: DEPTH },
			]),
			other.note([{ pool: POOL, tick: 20, liquidity: DEPTH }]),
		]);
		clock.ms += MINUTE_MS;
	}
	expect(await open().read([POOL], signal)).toEqual([whole(15)]);
});

test("a day is recorded by the database's time, whatever a process's clock says", async () => {
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

test("the day's record has its lowest and highest minute, once it has half an hour", async () => {
	await note(20, -50);
	expect((await open().day([POOL])).size).toBe(0);
	await note(20, 70);
	expect((await open().day([POOL])).get(POOL)).toEqual({
		...{ least: -50, greatest: 70, liquidity: DEPTH },
	});
});

test("a pool's own history comes first; if a node does not answer, the record may only refuse", async () => {
	await note(30, 100);
	const pool = market.pools.get(POOL);
	if (!pool) throw new Error("it is there");
	market.pools.set(POOL, { ...pool, meanTick: -40 });
	expect(await open().read([POOL], signal)).toEqual([whole(-40)]);
	market.node.stall = () => true;
	// What the pool holds now is not known.
	expect(await open().read([POOL], signal)).toEqual([partly(100)]);
});

test("a minute in which a pool was nearly empty makes the half hour unsupported", async () => {
	for (const held of [1n, 1_000n]) {
		await database.db.execute("truncate trading.pool_price");
		await note(29, 100);
		await note(1, 100, held);
		const [average] = await open().read([POOL], signal);
		expect(average).toMatchObject({ tick: 100, isWhole: false });
		expect(average?.liquidity).toBeLessThanOrEqual(held * 30n);
	}
	await database.db.execute("truncate trading.pool_price");
	await note(29, 100);
	// Without liquidity the price is anybody's, and is not in the mean.
	await note(1, 880_000, 0n);
	expect(await open().read([POOL], signal)).toEqual([partly(100, 29n)]);
	expect((await open().day([POOL])).get(POOL)).toEqual({
		...{ least: 100, greatest: 100, liquidity: DEPTH },
	});
});

test("minutes without recorded liquidity do not support a price, nor minutes shared with them", async () => {
	await note(29, 100);
	await database.db.execute(
		`insert into trading.pool_price (pool, minute, tick_sum, samples)
		values (decode($1, 'hex'), $2, 100, 1)`,
		[POOL.slice(2), new Date(clock.ms)],
	);
	await note(1, 100);
	expect(await open().read([POOL], signal)).toEqual([partly(100, null)]);
	await database.db.execute("truncate trading.pool_price");
	await note(30, 100);
	await database.db.execute(
		"update trading.pool_price set liquidity = null where minute = (select min(minute) from trading.pool_price)",
	);
	expect(await open().read([POOL], signal)).toEqual([partly(100, null)]);
});

test("an average is complete only if the pool held enough in the half hour, and holds enough now", async () => {
	const pool = poolOf(POOL);
	market.pools.set(POOL, { ...pool, meanTick: 5 });
	// A history alone does not say on which side of the price it was.
	expect(await open().read([POOL], signal)).toMatchObject([{ tick: 5, isWhole: false }]);
	await note(20, 5);
	expect(await open().read([POOL], signal)).toMatchObject([{ tick: 5, isWhole: false }]);
	await note(10, 5);
	market.pools.set(POOL, { ...pool, meanTick: 5, meanPart: 0.3 });
	expect(await open().read([POOL], signal)).toMatchObject([{ isWhole: true }]);
	market.pools.set(POOL, { ...pool, meanTick: 5, meanPart: 0.2 });
	expect(await open().read([POOL], signal)).toMatchObject([{ tick: 5, isWhole: false }]);
	market.pools.set(POOL, { ...pool, meanTick: 5, meanPart: 0 });
	expect(await open().read([POOL], signal)).toEqual([partly(5, 1n)]);
	market.pools.set(POOL, { ...pool, meanTick: 5, raw0: 0n });
	expect(await open().read([POOL], signal)).toMatchObject([{ tick: 5, isWhole: false }]);
});

/** `OracleLibrary.consult` of Uniswap's v3-periphery, as it is published, with its widths. */
function published(ticks: readonly [bigint, bigint], depths: readonly [bigint, bigint]) {
	const ago = 1_800n;
	const delta = BigInt.asIntN(56, ticks[1] - ticks[0]);
	const perLiquidity = BigInt.asUintN(160, depths[1] - depths[0]);
	let tick = delta / ago;
	if (delta < 0n && delta % ago !== 0n) tick--;
	const agoX160 = ago * (2n ** 160n - 1n);
	return { tick: Number(tick), liquidity: BigInt.asUintN(128, agoX160 / (perLiquidity << 32n)) };
}

test("the average of a pool's history equals that of Uniswap's own library, also after an overflow", () => {
	const prng = createPrng(44);
	for (let round = 0; round < 2_000; round++) {
		const [tick, exponent] = [prng.int(1_774_000) - 887_000, 1 + prng.int(110)];
		const held = 1n + (BigInt(prng.int(2 ** 30)) << BigInt(exponent)) / 2n ** 20n;
		const at = prng.pick([0n, 2n ** 55n - 7n, -(2n ** 54n), BigInt(prng.int(2 ** 40))]);
		const from = prng.pick([0n, 2n ** 160n - 3n, BigInt(prng.int(2 ** 50))]);
		const moved = BigInt(tick) * 1_800n + BigInt(prng.int(1_800));
		const ticks = [at, BigInt.asIntN(56, at + moved)] as const;
		const depths = [from, BigInt.asUintN(160, from + ((1_800n << 128n) / held || 1n))] as const;
		const oracle = published(ticks, depths);
		const own = consult(ticks, depths);
		expect(own?.tick).toBe(oracle.tick);
		// The library divides by one less than a power of two.
		const apart = (own?.liquidity ?? -1n) - oracle.liquidity;
		expect({ held, apart: apart === 0n || apart === 1n }).toEqual({ held, apart: true });
	}
	expect(consult([0n, 0n], [7n, 7n])).toMatchObject({ isWhole: false, liquidity: null });
	expect(consult([0n], [0n])).toBeNull();
});

test("a swap fits a pool if its narrowest position holds both amounts", () => {
	const prng = createPrng(45);
	const [low, high] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;
	const spacings = { 100: 1, 500: 10, 3000: 60, 10000: 200, 777: 1 };
	for (let round = 0; round < 1_000; round++) {
		const fee = prng.pick([100, 500, 3_000, 10_000, 777] as const);
		const tick = prng.int(600_000) - 300_000;
		const liquidity = BigInt(1 + prng.int(2 ** 40)) << BigInt(prng.int(60));
		// By the published amounts of a position from one tick to the next that it may end at.
		const [from, to] = [1.0001 ** (tick / 2), 1.0001 ** ((tick + spacings[fee]) / 2)];
		const amount0 = Number(liquidity) * (1 / from - 1 / to);
		const amount1 = Number(liquidity) * (to - from);
		const isZeroIn = prng.chance(0.5);
		const way = isZeroIn ? { tokenIn: low, tokenOut: high } : { tokenIn: high, tokenOut: low };
		const ratio = ratioAtTick(way, tick);
		const [inMost, outMost] = isZeroIn ? [amount0, amount1] : [amount1, amount0];
		if (inMost < 1_000 || outMost < 1_000) continue;
		const ask = (inPart: number, outPart: number) =>
			isHeldBy(
				{ liquidity, fee },
				{
					ratio,
					inRaw: BigInt(Math.floor(inMost * inPart)),
					outRaw: BigInt(Math.floor(outMost * outPart)),
				},
			);
		expect({ round, fee, tick, is: [ask(0.98, 0.98), ask(1.03, 0.5), ask(0.5, 1.03)] }).toEqual({
			...{ round, fee, tick, is: [true, false, false] },
		});
	}
});

test("a tick and a square root give the same price, in both directions", () => {
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
