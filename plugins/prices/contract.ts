import type { Address } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import { feedCalls, feedSelectors, parseRound } from "#plugins/prices/round.ts";

/** Names what is priced: a chain's native coin (the zero address) or a token on it. */
export type Priced = { chainId: number; currency: Address };

/**
 * USD for one whole unit, as a fraction of integers: `answer / 10^decimals`, with the feed's time.
 * `currencyDecimals` are those of the priced currency.
 */
export type UsdRate = {
	answer: bigint;
	decimals: number;
	currencyDecimals: number;
	updatedAtMs: number;
};

/**
 * USD rates from on-chain feeds, with their history. Every answer comes from memory, which each
 * process keeps up to date by itself: no call waits for a chain. Null is unknown: no feed, an
 * answer older than two heartbeats at that time, or history that was not read yet.
 */
export type Prices = {
	usdRate(priced: Priced, atMs: number): UsdRate | null;
	/** Converts base units to USD. Exact up to the last step, which makes a double for display. */
	toUsd(priced: Priced, raw: bigint, atMs: number): number | null;
	/**
	 * Converts base units to wei of ETH through USD, rounded down. ETH, and its wrapped form on a
	 * chain whose coin is ETH, need no feed and are never null.
	 */
	toNative(priced: Priced, raw: bigint, atMs: number): bigint | null;
	/** Returns USD for one ETH. */
	ethUsd(atMs: number): number | null;
	/** Converts an amount in display units of a currency known only by its symbol to wei of ETH. */
	nativeOfSymbol(chainId: number, symbol: string, value: number, atMs: number): bigint | null;
	/** Says whether a feed is configured: without one the rate is never known. */
	hasFeed(priced: Priced): boolean;
	/**
	 * Sets a listener, called after rates of a span of time became known, so that events stored
	 * without a price can be priced. Set in `setup`; in `worker` processes only.
	 */
	onLearned(
		listener: (learned: { priced: Priced; fromMs: number; toMs: number }) => Promise<void>,
	): void;
};

export const PricesKey = serviceKey<Prices>()("prices");

/** Builds calls of feeds and reads their answers, for feeds that only another plugin configures. */
export const feedAnswers = {
	latestRound: feedCalls.latestRound,
	decimals: feedCalls.decimals,
	selectors: feedSelectors,
	parseRound,
};
