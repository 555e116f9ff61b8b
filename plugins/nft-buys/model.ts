// Defines what a buy asks for and within which limits, and what its files share.

import { z } from "zod";
import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { addressSchema, wordSchema } from "#core/chain/hexSchemas.ts";
import type { Log } from "#core/log.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { Denial, SpendSituation, Wallets } from "#plugins/wallets/contract.ts";

const units = z.string().regex(/^(0|[1-9]\d{0,77})$/);

/** The stored request of a buy or an offer: base units and ids as decimal text. */
export const buyRequest = z.object({
	contract: addressSchema,
	/** Names the token; null for an offer on a whole collection. */
	tokenId: units.nullable(),
	quantity: units,
	/** The highest price in base units of the chain's coin, for all units together. */
	priceLimitRaw: units.nullable(),
	orderHash: wordSchema.nullable(),
	/** The least tip per gas, in base units; left out: what nodes ask for. */
	tipRaw: units.exactOptional(),
});

export type BuyRequest = z.output<typeof buyRequest>;

/** The chain's state of an order and its seller. */
export type OrderState = {
	/** The seller's counter; orders signed with another one are void. */
	counter: bigint;
	isCancelled: boolean;
	totalFilled: bigint;
	/** 0 for an order without any fill. */
	totalSize: bigint;
};

/**
 * Holds what the buyer wants, and where and when it is bought. All answers are compared with this.
 */
export type Wanted = {
	chainId: number;
	marketplace: Address;
	wallet: Address;
	contract: Address;
	tokenId: bigint;
	quantity: bigint;
	nowMs: number;
};

/** The price of an order, or of a part of one: everything that leaves the buyer's wallet. */
export type Payment = {
	/** The zero address for the native coin. */
	currency: Address;
	total: bigint;
	parts: { recipient: Address; raw: bigint }[];
};

/** A wallet's balance of an ERC-20, and what a spender may take of it, in base units. */
export type Funds = { balanceRaw: bigint; allowanceRaw: bigint; decimals: number };

/** Holds what the routes of buying need. */
export type BuyContext = {
	wallets: Wallets;
	log: Log;
	chains: ChainRegistry;
	/** Finds a collection by its slug. */
	market: Pick<MarketIndex, "find">;
	/** The chains that are served here, in the deployment's order. */
	served: readonly Chain[];
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/**
 * Returns why limits in USD forbid an NFT buy; null: they allow it. This is the whole policy of
 * buys, with exactly these four codes: the policy of token trades does not apply.
 */
export function nftSpendDenial(situation: SpendSituation): Denial | null {
	const { usdMicros, spentTodayUsdMicros, limits } = situation;
	if (usdMicros === null) {
		return { code: "usd_rate_unavailable", detail: "The buy cannot be priced in USD right now." };
	}
	if (usdMicros > limits.perTradeUsdMicros) {
		return { code: "per_trade_limit", detail: "The buy is above the profile's per-trade cap." };
	}
	if (usdMicros > limits.walletNotionalUsdMicros) {
		return { code: "wallet_notional_limit", detail: "The buy is above what the wallet may move." };
	}
	if (spentTodayUsdMicros + usdMicros > limits.dailyUsdMicros) {
		return { code: "daily_limit", detail: "The buy is above what is left of the daily cap." };
	}
	return null;
}
