import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import type { QuoteSource, SourceRoute } from "#plugins/trading/quotes/QuoteSource.ts";
import { marketSwap, type Swapped } from "#plugins/trading/testing/marketSwap.ts";
import {
	marketEth,
	marketUsdg,
	openPriceLab,
	PRICE_BOUNDS,
	type PriceLab,
} from "#plugins/trading/testing/openPriceLab.ts";
import {
	giveOf,
	type MarketPool,
	type MarketToken,
	PLAIN_CODE,
	poolAt,
	takeOf,
	tickOf,
} from "#plugins/trading/testing/priceMarket.ts";
import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";

// Guarantee: whatever pools, feeds, sources, stalls and hours there are, and whatever changes
// between a trade and its swap, no trade that goes without its owner's yes ends beyond its bounds
// against what its token is truly worth, which the code under test never sees.

/** `prove` has a seed of its own, and plays ten times as many. */
const ROUNDS = process.env["PROVE"] === "1" ? 2_000 : 200;
const FIRST_MONDAY = Date.parse("2026-11-16T00:00:00Z");
const token: MarketToken = { address: `0x${"a".repeat(40)}`, decimals: 18, usd: 0 };
const FEED: Address = `0x${"f".repeat(40)}`;
const POOL: Address = `0x${"c".repeat(40)}`;
const OTHER_POOL: Address = `0x${"c1".repeat(20)}`;
const MONEY_POOL: Address = `0x${"c2".repeat(20)}`;
/** Positions reach a fifth from the price. */
const NARROW = 11;
/** What somebody puts into the narrowest position, at a price of theirs, for half an hour. */
const BAIT_USD = 20;
const SPACING: Record<number, number> = { 500: 10, 3000: 60, 10000: 200 };

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

/**
 * What was done to the pool: nothing; its price was moved against all of its liquidity; it was
 * emptied, moved by dust and filled again; or held for half an hour by a few dollars in the
 * narrowest position.
 */
type Deed = "none" | "moved" | "emptied" | "baited";

/** How wrong the world's own sources are: what nobody could know better. */
type Round = {
	lab: PriceLab;
	worth: MarketToken;
	deed: Deed;
	/** How far a feed may be from the truth, as a part of it. */
	feedError: number;
	/** For how many of the last thirty minutes the pool's price was moved, at the cost of that. */
	movedMinutes: number;
	feed: "none" | "fresh" | "stale" | "dead";
	multiplier: bigint;
};

/** Makes a market: its pool may have been moved a while ago, its feed may lag, rest or be dead. */
async function makeRound(prng: Prng): Promise<Round> {
	const decimals = prng.pick([18, 18, 18, 18, 18, 18, 18, 0, 6, 36]);
	const worth = { ...token, decimals, usd: 5 + prng.int(900) };
	const nowMs = FIRST_MONDAY + prng.int(7 * DAY_MS);
	const market: { lab?: PriceLab } = {};
	const second = secondOf(prng, () => market.lab?.market.pools ?? new Map());
	const lab = openPriceLab({ db: database.db, nowMs, ...(second && { second }) });
	market.lab = lab;
	const feed = prng.pick([
		"none",
		"none",
		"none",
		"none",
		"fresh",
		"fresh",
		"stale",
		"dead",
	] as const);
	const feedError = await setFeeds(prng, { lab, worth, feed });
	const multiplier = prng.pick([1n, 1n, 3n]) * 10n ** 18n;
	const keptBps = prng.pick([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 300]);
	lab.market.codes.set(worth.address, { ...PLAIN_CODE, multiplier, keptBps });
	const { deed, movedMinutes } = await setPools(prng, { lab, worth });
	const stalls = prng.pick([0, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.4]);
	lab.market.node.stall = () => prng.chance(stalls);
	return { lab, worth, deed, feedError, movedMinutes, feed, multiplier };
}

async function setFeeds(
	prng: Prng,
	{ lab, worth, feed }: Pick<Round, "lab" | "worth" | "feed">,
): Promise<number> {
	const { market, clock } = lab;
	const feedError = prng.pick([0, 0.002, 0.005]);
	const isFed = feed !== "none";
	const others = Array.from({ length: 4 }, (_, at) => {
		const address: Address = `0x${String(at + 1).repeat(40)}`;
		const own: Address = `0xf${String(at + 1).repeat(39)}`;
		// Other feeds tell whether the market rests: they speak where it is open.
		market.feeds.set(own, { usd: 10, updatedAtMs: clock.ms - prng.int(HOUR_MS), isDead: false });
		return { symbol: `O${at}`, token: { ...token, address, usd: 10 }, feed: own };
	});
	await lab.register([{ symbol: "SEED", token: worth, feed: isFed ? FEED : null }, ...others]);
	if (isFed) {
		const ageMs = feed === "stale" ? 4 * HOUR_MS + prng.int(DAY_MS) : prng.int(HOUR_MS);
		const usd = feed === "stale" ? worth.usd * (0.5 + prng.next()) : worth.usd * (1 + feedError);
		market.feeds.set(FEED, { usd, updatedAtMs: clock.ms - ageMs, isDead: feed === "dead" });
	}
	return feedError;
}

/** Opens the pools; for half an hour the first one may be moved, emptied or baited. */
async function setPools(
	prng: Prng,
	{ lab, worth }: Pick<Round, "lab" | "worth">,
): Promise<Pick<Round, "deed" | "movedMinutes">> {
	const { pools } = lab.market;
	const honest = () => 1 + prng.gauss() * 0.004;
	const depthUsd = prng.pick([1, 80_000, 80_000, 80_000, 2_000_000, 2_000_000, 2_000_000]);
	const fee = prng.pick([500, 3_000, 10_000]);
	const shape = { one: worth, other: marketUsdg, fee, depthUsd, narrow: NARROW };
	const place = (change: { skew: number; depthUsd?: number }) =>
		pools.set(POOL, poolAt(POOL, { ...shape, ...change }));
	const before = honest();
	place({ skew: before });
	const money = { one: marketEth, other: marketUsdg, fee: 500, depthUsd: 400_000, narrow: NARROW };
	pools.set(MONEY_POOL, poolAt(MONEY_POOL, { ...money, skew: honest() }));
	if (prng.chance(0.3)) {
		const more = { ...shape, other: marketEth, fee: 3_000, depthUsd: prng.pick([300, 50_000]) };
		pools.set(OTHER_POOL, poolAt(OTHER_POOL, { ...more, skew: honest() }));
	}
	const deed = prng.pick([
		"none",
		"none",
		"none",
		"moved",
		"emptied",
		"emptied",
		"baited",
	] as const);
	const minutes = {
		...{ none: 0, moved: prng.pick([1, 5, 10]), baited: 31 },
		emptied: prng.pick([1, 5, 31, 31]),
	}[deed];
	const skew = prng.pick([0.1, 0.3, 0.8, 0.93, 1.07, 1.3, 3, 20]);
	const whole = prng.pick([31, 31, 31, 31, 31, 8]);
	await lab.record(Math.max(whole, minutes), minutes);
	let left = 1;
	if (deed !== "none") {
		const bait = (BAIT_USD * 20_000) / (SPACING[fee] ?? 1) / NARROW;
		const kept = { moved: depthUsd, emptied: depthUsd / 1e6, baited: bait }[deed];
		left = kept / depthUsd;
		place({ skew, depthUsd: kept });
		await lab.record(minutes, 0);
		place({ skew });
	}
	const pool = pools.get(POOL);
	if (pool && prng.chance(0.3)) {
		// The pool keeps a history of its own, which says the same.
		const part = Math.min(minutes, 30) / 30;
		const honestTick = tickOf(poolAt(POOL, { ...shape, skew: before }));
		const meanTick = Math.floor(honestTick * (1 - part) + tickOf(pool) * part);
		pools.set(POOL, { ...pool, meanTick, meanPart: 1 / (1 - part + part / left) });
	}
	return { deed, movedMinutes: deed === "moved" ? minutes : 0 };
}

/** A second source: none, one that has no way, one that is silent, and some that lie. */
function secondOf(prng: Prng, pools: () => ReadonlyMap<Address, MarketPool>): QuoteSource | null {
	const times = prng.pick([1, 1, 0.2, 5]);
	const isWay = prng.chance(0.6);
	const answer: QuoteSource["ask"] = async ({ tokenIn, tokenOut, exact, amountRaw }) => {
		const pool = [...pools().values()].find(({ token0, token1 }) => {
			return [token0, token1].toSorted().join() === [tokenIn, tokenOut].toSorted().join();
		});
		const raw = pool && (exact === "in" ? giveOf : takeOf)(pool, tokenIn, amountRaw);
		if (!pool || !raw) throw tradeFault.routerRefused();
		const told = (raw * BigInt(Math.round(times * 10))) / 10n || 1n;
		const hop = { version: "v3", pool: pool.address, tokenIn, tokenOut, fee: pool.fee } as const;
		const route: SourceRoute = {
			...{ hops: isWay ? [hop] : null, blockNumber: null, impactBps: null },
			...{ inRaw: exact === "in" ? amountRaw : told, outRaw: exact === "in" ? told : amountRaw },
			...{ requestId: "seed", detail: {} },
		};
		return route;
	};
	const ask = prng.pick([
		...[null, null, null, answer, answer, answer],
		async () => Promise.reject(tradeFault.routerRefused()),
		async () => Promise.reject(tradeFault.routerUnavailable()),
	]);
	return ask && { name: "hosted", ask };
}

function wishOf(prng: Prng, { worth, lab, multiplier }: Round): TradeWish {
	const usd = prng.pick([0.5, 15, 60, 60, 60, 150, 150, 900, 900, 20_000]);
	const [settlement, price] = prng.pick([
		["USDG", 1],
		["USDG", 1],
		["ETH", marketEth.usd],
	] as const);
	const asset = "SEED";
	const [unit, each] = prng.pick([
		["tokens", worth.usd],
		["shares", worth.usd / (Number(multiplier) / 1e18)],
	] as const);
	const quantity = (usd / each).toFixed(Math.min(9, worth.decimals));
	const code = lab.market.codes.get(worth.address) ?? PLAIN_CODE;
	const billionths = BigInt(Math.round((usd / worth.usd) * 1e9));
	const heldRaw = (billionths * 10n ** BigInt(worth.decimals)) / 1_000_000_000n;
	const wish = prng.pick([
		{ kind: "buy_with", asset, spend: (usd / price).toFixed(6), settlement },
		{ kind: "buy", asset, quantity, unit, settlement },
		{ kind: "sell", asset, quantity, unit, settlement },
		{ kind: "sell_share", asset, percent: 100, settlement },
	] as const);
	if (wish.kind === "sell_share") lab.market.codes.set(worth.address, { ...code, heldRaw });
	return wish;
}

/** What happens between a trade and its swap. */
function pass(prng: Prng, { lab, worth }: Round): void {
	const { market, clock } = lab;
	clock.ms += prng.pick([0, 0, 5_000, 31_000, 90_000]);
	const pool = market.pools.get(POOL);
	if (!pool) throw new Error("the market has a pool");
	const move = prng.pick([1, 1, 1, 1, 1, 0.8, 0.97, 1.03, 1.25]);
	market.pools.set(POOL, { ...pool, raw0: (pool.raw0 * BigInt(Math.round(move * 100))) / 100n });
	const code = market.codes.get(worth.address) ?? PLAIN_CODE;
	if (prng.chance(0.05)) market.codes.set(worth.address, { ...code, multiplier: 7n * 10n ** 17n });
	const feed = market.feeds.get(FEED);
	if (feed && prng.chance(0.1)) market.feeds.set(FEED, { ...feed, isDead: true });
}

/** Returns the part of its worth that a swap lost, by what the tokens are truly worth. */
function lossOf({ sold, bought, inRaw, outRaw }: Swapped, { worth }: Round): number {
	const usd = (address: Address, raw: bigint) => {
		const of = [worth, marketUsdg, { ...marketEth, address: ZERO_ADDRESS }, marketEth].find(
			(one) => one.address === address,
		);
		if (!of) throw new Error("a token that is not in the market");
		return (Number(raw) / 10 ** of.decimals) * of.usd;
	};
	return 1 - usd(bought, outRaw) / usd(sold, inRaw);
}

/** Returns the most that a trade may lose, by what supports it and how wrong that is here. */
function mostLoss({ feedError, movedMinutes }: Round, from: readonly string[]): number {
	const { referenceBpsMax, closedBpsMax } = PRICE_BOUNDS;
	const bound = (from[0] === "last close" ? closedBpsMax : referenceBpsMax) / 10_000;
	if (from[0] !== "pool") return 1 - (1 - bound) * (1 - feedError);
	// A mean follows a price that was moved for a part of its half hour by that part of the way. Of
	// two pools each is as wrong as honest pools are.
	const left = 1 - movedMinutes / 30;
	return 1 - (1 - bound) ** (1 / left) * (1 - 0.03);
}

/** Returns the dollars of what a swap moves that is no stock. */
function moneyOf({ sold, bought, inRaw, outRaw }: Swapped, { worth }: Round): number {
	const [address, raw] = sold === worth.address ? [bought, outRaw] : [sold, inRaw];
	if (address === marketUsdg.address) return Number(raw) / 1e6;
	return (Number(raw) / 1e18) * marketEth.usd;
}

test(`in ${ROUNDS} markets no trade ends beyond its bounds to the true price (TEST_SEED=${TEST_SEED})`, async () => {
	const ended = { confirmed: 0, reverted: 0, asked: 0, refused: 0, denied: 0 };
	const by = new Map<string, number>();
	for (let index = 0; index < ROUNDS; index++) {
		const prng = createPrng(TEST_SEED * 100_003 + index);
		const round = await makeRound(prng);
		const { lab, feed, deed, movedMinutes } = round;
		const wish = wishOf(prng, round);
		const assessed = await lab.assess(wish);
		if (assessed.outcome.kind !== "swap") {
			ended.refused++;
			continue;
		}
		const { price } = assessed.outcome.terms.quoted;
		if (price?.kind !== "yes") {
			const counted = BigInt(price?.countedUsdMicros ?? "0");
			expect(counted).toBeLessThanOrEqual(PRICE_BOUNDS.unpricedUsdMicrosMax);
			ended.asked++;
			continue;
		}
		pass(prng, round);
		const prepared = await lab.prepare(assessed).catch((error: unknown) => {
			if (error instanceof Fault) return error.code;
			throw error;
		});
		if (typeof prepared === "string") {
			ended.denied++;
			continue;
		}
		// Others trade first: the price is another by the time the swap is mined.
		const pool = lab.market.pools.get(POOL);
		if (!pool) throw new Error("the market has a pool");
		const shift = BigInt(Math.round(1e6 * (1 + prng.gauss() * prng.pick([0, 0.002, 0.03, 0.06]))));
		lab.market.pools.set(POOL, { ...pool, raw0: (pool.raw0 * shift) / 1_000_000n });
		const swap = marketSwap(lab.market, prepared);
		if (!swap) {
			ended.reverted++;
			continue;
		}
		ended.confirmed++;
		const [first = ""] = price.from;
		by.set(first, (by.get(first) ?? 0) + 1);
		const loss = lossOf(swap, round);
		const most = mostLoss(round, price.from) + 1e-6;
		// Who held a price for half an hour offered as much to everybody, and that is all that it buys.
		const isBaited =
			deed === "baited" && first === "pool" && moneyOf(swap, round) <= BAIT_USD * 1.05;
		const told = { index, wish, feed, deed, movedMinutes, from: price.from, loss, most };
		expect({ ...told, isWithin: loss <= most || isBaited }).toMatchObject({ isWithin: true });
	}
	// Each way to end is there, and each support: a property over nothing proves nothing.
	for (const count of Object.values(ended)) expect(count).toBeGreaterThan(0);
	expect([...by.keys()].toSorted()).toEqual(["feed", "last close", "pool"]);
});
