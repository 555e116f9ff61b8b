import type { Address } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import { narrowestOf as narrowest } from "#plugins/trading/poolRatio.ts";
import { readOffered as offered } from "#plugins/trading/registry/createPools.ts";

/** A trade whose swap was mined and gave its owner tokens. */
export type SettledTrade = {
	id: string;
	profileId: string;
	walletId: string | null;
	/** The intent that moves its money; only with status `confirmed` is the trade final. */
	intentId: string;
	/** The time of the request. */
	createdAt: Date;
	side: "buy" | "sell";
	/** The asset that was bought or sold, not the settlement currency. */
	asset: Address;
	/** The value of the trade at the time of the request, in microdollars. */
	usdMicros: bigint;
};

/** A query for trades requested in a span of time: from `fromMs` to before `toMs`. */
export type SettledTradesAsked = {
	fromMs: number;
	toMs: number;
	/** The last trade of the page before; null for the first page. */
	afterId: string | null;
	limit: number;
};

export type Trading = {
	/**
	 * Returns a page of settled trades, the oldest first. Trades without a value in dollars are left
	 * out.
	 */
	settledTrades(asked: SettledTradesAsked): Promise<SettledTrade[]>;
};

export const TradingKey = serviceKey<Trading>()("trading");

/**
 * The one rule of what a pool's liquidity is worth: what its narrowest position would hold, where
 * the pool pays that on both sides of its price.
 */
export const narrowestOf = narrowest;
export const readOffered = offered;
