import type { Address } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";
import { feedCalls, feedSelectors } from "#plugins/prices/feed/feedCalls.ts";
import { parseRound } from "#plugins/prices/feed/parseRound.ts";

/** What is priced: a chain's native coin (the zero address) or a token on it. */
export type Priced = { chainId: number; currency: Address };

/**
 * USD for one whole unit, as a fraction of integers: `answer / 10^decimals`, and when the feed said
 * so. `currencyDecimals` are those of the priced currency.
 */
export type UsdRate = {
	answer: bigint;
	decimals: number;
	currencyDecimals: number;
	updatedAtMs: number;
};

/**
 * USD rates from on-chain feeds, with their history. Everything is answered from memory, which each
 * process keeps up to date by itself: no call here waits for a chain. Null is unknown: no feed, an
 * answer older than two heartbeats at that time, or history that was not read yet.
 */
export type Prices = {
	usdRate(priced: Priced, atMs: number): UsdRate | null;
	/** Base units → USD. Exact up to the last step, which makes a double for display. */
	toUsd(priced: Priced, raw: bigint, atMs: number): number | null;
	/**
	 * Base units → wei of ETH through USD, rounded down. ETH, and its wrapped form on a chain whose
	 * coin is ETH, need no feed and are never null.
	 */
	toNative(priced: Priced, raw: bigint, atMs: number): bigint | null;
	/** USD for one ETH. */
	ethUsd(atMs: number): number | null;
	/** An amount in display units of a currency that only a symbol names → wei of ETH. */
	nativeOfSymbol(chainId: number, symbol: string, value: number, atMs: number): bigint | null;
	/** Whether a feed is configured: one that has none will never be known. */
	hasFeed(priced: Priced): boolean;
	/**
	 * Called after rates of a span of time became known that were not before, so that what was stored
	 * without a price can be priced. Set in `setup`; in `worker` processes only.
	 */
	onLearned(
		listener: (learned: { priced: Priced; fromMs: number; toMs: number }) => Promise<void>,
	): void;
};

export const PricesKey = serviceKey<Prices>()("prices");

/** How feeds are asked and their answers read, for feeds that only another plugin knows of. */
export const feedAnswers = {
	latestRound: feedCalls.latestRound,
	decimals: feedCalls.decimals,
	selectors: feedSelectors,
	parseRound,
};
