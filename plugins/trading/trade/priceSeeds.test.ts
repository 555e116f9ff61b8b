import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import type { QuoteSource } from "#plugins/trading/quotes/QuoteSource.ts";
import {
	marketUsdg,
	openPriceLab,
	PRICE_BOUNDS,
	type PriceLab,
} from "#plugins/trading/testing/openPriceLab.ts";
import {
	giveOf,
	type MarketPool,
	type MarketToken,
	poolAt,
	takeOf,
} from "#plugins/trading/testing/priceMarket.ts";
import type { Assessed } from "#plugins/trading/trade/assessTrade.ts";
import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";

// Guarantee: whatever pools, feeds, stalls and hours there are, no trade that goes without its
// owner's yes ends beyond its bounds against what its token is truly worth, which the code under
// test never sees.

/** `prove` has a seed of its own, and plays ten times as many. */
const ROUNDS = process.env["PROVE"] === "1" ? 2_000 : 200;
const FIRST_MONDAY = Date.parse("2026-11-16T00:00:00Z");
const token: MarketToken = { address: `0x${"a".repeat(40)}`, decimals: 18, usd: 0 };
const FEED: Address = `0x${"f".repeat(40)}`;
const POOL: Address = `0x${"c".repeat(40)}`;

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** How wrong the world's own sources are: what nobody could know better. */
type Round = {
	lab: PriceLab;
	worth: MarketToken;
	/** How far a feed may be from the truth, as a part of it. */
	feedError: number;
	/** For how many of the last thirty minutes the pool's price was moved. */
	movedMinutes: number;
	feed: "none" | "fresh" | "stale" | "dead";
};

/** Makes a market: its pool may have been moved a while ago, its feed may lag, rest or be dead. */
async function makeRound(prng: Prng): Promise<Round> {
	const worth = { ...token, usd: 5 + prng.int(900) };
	const nowMs = FIRST_MONDAY + prng.int(7 * DAY_MS);
	const second = secondOf(prng);
	const lab = openPriceLab({ db: database.db, nowMs, ...(second && { second }) });
	const { market } = lab;
	const feed = prng.pick(["none", "none", "fresh", "stale", "dead"] as const);
	const isFed = feed !== "none";
	const feedError = prng.pick([0, 0.002, 0.005]);
	const symbols = [{ symbol: "SEED", token: worth, feed: isFed ? FEED : null }];
	const others = Array.from({ length: 4 }, (_, at) => {
		const address: Address = `0x${String(at + 1).repeat(40)}`;
		const own: Address = `0xf${String(at + 1).repeat(39)}`;
		// Other feeds tell whether the market rests: they speak where it is open.
		market.feeds.set(own, { usd: 10, updatedAtMs: nowMs - prng.int(HOUR_MS), isDead: false });
		return { symbol: `O${at}`, token: { ...token, address, usd: 10 }, feed: own };
	});
	await lab.register([...symbols, ...others]);
	if (isFed) {
		const ageMs = feed === "stale" ? 4 * HOUR_MS + prng.int(DAY_MS) : prng.int(HOUR_MS);
		const usd = feed === "stale" ? worth.usd * (0.5 + prng.next()) : worth.usd * (1 + feedError);
		market.feeds.set(FEED, { usd, updatedAtMs: nowMs - ageMs, isDead: feed === "dead" });
	}
	const depthUsd = prng.pick([1, 300, 5_000, 80_000, 2_000_000]);
	const shape = { one: worth, other: marketUsdg, fee: prng.pick([500, 3_000, 10_000]), depthUsd };
	const honest = 1 + prng.gauss() * 0.004;
	market.pools.set(POOL, poolAt(POOL, { ...shape, skew: honest }));
	const movedMinutes = prng.pick([0, 0, 1, 5, 10]);
	await lab.record(prng.pick([0, 8, 31, 31, 31]), movedMinutes);
	if (movedMinutes > 0) {
		const skew = prng.pick([0.3, 0.8, 0.93, 1.07, 1.3, 3]);
		market.pools.set(POOL, poolAt(POOL, { ...shape, skew }));
		await lab.record(movedMinutes, 0);
	}
	const stalls = prng.pick([0, 0, 0, 0.2, 0.6]);
	market.node.stall = () => prng.chance(stalls);
	return { lab, worth, feedError, movedMinutes, feed };
}

function secondOf(prng: Prng): QuoteSource | null {
	const ask = prng.pick([
		null,
		async () => Promise.reject(tradeFault.routerRefused()),
		async () => Promise.reject(tradeFault.routerUnavailable()),
	] as const);
	return ask && { name: "hosted", ask };
}

function wishOf(prng: Prng, { worth }: Round): TradeWish {
	const usd = prng.pick([0.5, 20, 150, 900, 20_000]);
	const quantity = (usd / worth.usd).toFixed(9);
	const settlement = "USDG";
	return prng.pick([
		{ kind: "buy_with", asset: "SEED", spend: String(usd), settlement },
		{ kind: "buy", asset: "SEED", quantity, unit: "tokens", settlement },
		{ kind: "sell", asset: "SEED", quantity, unit: "tokens", settlement },
	] as const);
}

/** Swaps as the router would a moment later; returns what went in and came out, null: reverted. */
function swapped(
	pool: MarketPool,
	{ outcome }: Assessed,
): { inRaw: bigint; outRaw: bigint; isBuy: boolean } | null {
	if (outcome.kind !== "swap") return null;
	const { exact, amountRaw, limitRaw, sell, side } = outcome.terms;
	const [amount, limit] = [BigInt(amountRaw), BigInt(limitRaw)];
	const isBuy = side === "buy";
	if (exact === "in") {
		const outRaw = giveOf(pool, sell.address, amount);
		return outRaw !== null && outRaw >= limit ? { inRaw: amount, outRaw, isBuy } : null;
	}
	const inRaw = takeOf(pool, sell.address, amount);
	return inRaw !== null && inRaw <= limit ? { inRaw, outRaw: amount, isBuy } : null;
}

/** Returns the part of its worth that a swap lost, by what the token is truly worth. */
function lossOf(swap: { inRaw: bigint; outRaw: bigint; isBuy: boolean }, usd: number): number {
	const dollars = Number(swap.isBuy ? swap.inRaw : swap.outRaw) / 1e6;
	const stock = (Number(swap.isBuy ? swap.outRaw : swap.inRaw) / 1e18) * usd;
	return swap.isBuy ? 1 - stock / dollars : 1 - dollars / stock;
}

/** Returns the most that a trade may lose, by what supports it and how wrong that is here. */
function mostLoss(round: Round, from: readonly string[]): number {
	const { referenceBpsMax, closedBpsMax } = PRICE_BOUNDS;
	const bound = (from[0] === "last close" ? closedBpsMax : referenceBpsMax) / 10_000;
	if (from[0] !== "pool") return 1 - (1 - bound) * (1 - round.feedError);
	// A mean follows a price that was moved for a part of its half hour by that part of the way.
	const left = 1 - round.movedMinutes / 30;
	return 1 - (1 - bound) ** (1 / left) * (1 - 0.02);
}

test(`no trade in ${ROUNDS} markets ends beyond its bounds against the truth (TEST_SEED=${TEST_SEED})`, async () => {
	const ended = { confirmed: 0, reverted: 0, asked: 0, refused: 0 };
	const by = new Map<string, number>();
	for (let index = 0; index < ROUNDS; index++) {
		const prng = createPrng(TEST_SEED * 100_003 + index);
		const round = await makeRound(prng);
		const wish = wishOf(prng, round);
		const assessed = await round.lab.assess(wish);
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
		const before = round.lab.market.pools.get(POOL);
		if (!before) throw new Error("the market has a pool");
		// Others trade first: the price is another by the time the swap is mined.
		const shift = BigInt(Math.round(1e6 * (1 + prng.gauss() * prng.pick([0, 0.002, 0.02, 0.05]))));
		const pool = { ...before, raw0: (before.raw0 * shift) / 1_000_000n };
		const swap = swapped(pool, assessed);
		if (!swap) {
			ended.reverted++;
			continue;
		}
		ended.confirmed++;
		const [first = ""] = price.from;
		by.set(first, (by.get(first) ?? 0) + 1);
		const loss = lossOf(swap, round.worth.usd);
		const most = mostLoss(round, price.from) + 1e-6;
		const { feed, movedMinutes } = round;
		const told = { index, wish, feed, movedMinutes, from: price.from, loss, most };
		expect({ ...told, isWithin: loss <= most }).toMatchObject({ isWithin: true });
	}
	// Each way to end is there, and each support: a property over nothing proves nothing.
	for (const count of Object.values(ended)) expect(count).toBeGreaterThan(0);
	expect([...by.keys()].toSorted()).toEqual(["feed", "last close", "pool"]);
});
