import type { Address } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";

/** A trade whose swap was mined and gave its owner something. */
export type SettledTrade = {
	id: string;
	profileId: string;
	walletId: string | null;
	/** Whether it stands is the intent's status: `confirmed`, or not. */
	intentId: string;
	/** When it was asked for. */
	createdAt: Date;
	side: "buy" | "sell";
	/** What was bought or sold, for what it was settled in. */
	asset: Address;
	/** What it was worth when it was asked for, in microdollars. */
	usdMicros: bigint;
};

/** Trades asked for from one moment to before another. */
export type SettledTradesAsked = {
	fromMs: number;
	toMs: number;
	/** The last one that is known; null: from the beginning. */
	afterId: string | null;
	limit: number;
};

export type Trading = {
	/** A page of settled trades, the oldest first. Those without a value in dollars are left out. */
	settledTrades(asked: SettledTradesAsked): Promise<SettledTrade[]>;
};

export const TradingKey = serviceKey<Trading>()("trading");
