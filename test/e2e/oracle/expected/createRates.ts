import { coins } from "#test/conformance/provider/world/coins.ts";
import type { Coin } from "#test/conformance/provider/world/World.ts";
import type { Feed } from "#test/e2e/oracle/world/makeFeeds.ts";

/** Rates of money at any time; null where no feed had one. */
export type Rates = {
	/** The price of one ether in dollars at a time; null where no feed has one. */
	dollarsAt(atMs: number): number | null;
	/** The value of an amount (base units of a currency) in wei; null where no feed has a rate. */
	weiOf(currency: string, amount: bigint, atMs: number): bigint | null;
	/** The value in ether of an amount (whole coins) whose coin is known by its symbol only. */
	etherOfSymbol(symbol: string, value: number, atMs: number): number | null;
};

/** The addresses that mean ether on each chain: the coin itself and its wrapped form. */
const ETHER: Record<string, readonly string[]> = {
	base: [coins.eth.address, coins.wethOnBase.address],
	ethereum: [coins.eth.address, coins.wethOnEthereum.address],
};
const ETHER_SYMBOLS = ["ETH", "WETH"];
/** The addresses of a chain's own coin that is not ether. */
const APE: readonly string[] = [coins.ape.address, coins.wape.address];
const APE_SYMBOLS: readonly string[] = [coins.ape.symbol, coins.wape.symbol];
const WEI = 10n ** 18n;

/** An exact price in dollars. */
type Price = { answer: bigint; decimals: number; coin: Coin };

/**
 * Reads the rounds of feeds, by the specification: an answer is valid until the next one and for
 * two heartbeats at most; one of zero or less is no answer. Ether and its wrapped form need no feed
 * to be worth ether; any other coin is worth what its dollars buy, rounded down.
 */
export function createRates(feeds: readonly Feed[], chain: string): Rates {
	const priceAt = (isIt: (feed: Feed) => boolean, atMs: number): Price | null => {
		const feed = feeds.find(isIt);
		if (!feed) return null;
		const { rounds, decimals } = feed.aggregator;
		const last = rounds.findLast(({ answer, atS }) => answer > 0n && atS * 1_000 <= atMs);
		const isFresh = last && atMs - last.atS * 1_000 <= 2 * feed.heartbeatMs;
		return isFresh ? { answer: last.answer, decimals, coin: feed.coin } : null;
	};
	const etherAt = (atMs: number) => priceAt(({ coin }) => coin === coins.eth, atMs);
	return {
		dollarsAt(atMs) {
			const price = etherAt(atMs);
			return price && Number(price.answer) / 10 ** price.decimals;
		},
		weiOf(currency, amount, atMs) {
			if (amount === 0n || ETHER[chain]?.includes(currency)) return amount;
			const ether = etherAt(atMs);
			const price = priceAt((feed) => {
				const names = feed.coin === coins.ape ? APE : [feed.coin.address];
				return feed.chain === chain && names.includes(currency);
			}, atMs);
			if (!ether || !price) return null;
			const dollars = amount * price.answer * 10n ** BigInt(ether.decimals);
			const whole = ether.answer * 10n ** BigInt(price.decimals + price.coin.decimals);
			return (dollars * WEI) / whole;
		},
		etherOfSymbol(symbol, value, atMs) {
			if (ETHER_SYMBOLS.includes(symbol)) return value;
			const ether = etherAt(atMs);
			const price = priceAt((feed) => {
				const names = feed.coin === coins.ape ? APE_SYMBOLS : [feed.coin.symbol];
				return feed.chain === chain && names.includes(symbol);
			}, atMs);
			if (!ether || !price) return null;
			const inDollars = (value * Number(price.answer)) / 10 ** price.decimals;
			return inDollars / (Number(ether.answer) / 10 ** ether.decimals);
		},
	};
}
