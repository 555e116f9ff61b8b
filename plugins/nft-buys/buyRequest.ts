// Defines the stored request of a buy, and the limits in USD that it must keep.

import { z } from "zod";
import { addressSchema, wordSchema } from "#core/chain/hexSchemas.ts";
import type { Denial, SpendSituation } from "#plugins/wallets/contract.ts";

const units = z.string().regex(/^(0|[1-9]\d{0,77})$/);

/** The stored request of a buy or an offer: base units and ids as decimal text. */
export const buyRequest = z.object({
	contract: addressSchema,
	/** Null for an offer on a whole collection. */
	tokenId: units.nullable(),
	quantity: units,
	/** The highest price in base units of the chain's coin, for all units together. */
	priceLimitRaw: units.nullable(),
	orderHash: wordSchema.nullable(),
	/** The least tip per gas, in base units; left out: what nodes ask for. */
	tipRaw: units.exactOptional(),
});

export type BuyRequest = z.output<typeof buyRequest>;

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
