import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

const EXCEEDED: Denial = {
	code: "price_limit_exceeded",
	detail: "The listing costs more than the price limit.",
};
const UNKNOWN: Denial = {
	code: "usd_rate_unavailable",
	detail: "The listing's currency cannot be compared with the price limit right now.",
};

/**
 * Compares a price with a limit in base units of the chain's coin; returns the denial, or null. The
 * coin and its wrapped form are compared directly; every other currency by both rates, in integers
 * and without rounding. Without a rate the price counts as too high.
 */
export function limitDenial(given: {
	price: { currency: Address; raw: bigint };
	/** Null: the order was named, and its price is the limit. */
	limitRaw: bigint | null;
	chain: Chain;
	prices: Prices;
	nowMs: number;
}): Denial | null {
	const { price, limitRaw, chain, prices, nowMs } = given;
	if (limitRaw === null) return null;
	if (price.currency === ZERO_ADDRESS || price.currency === chain.wrappedNative) {
		return price.raw > limitRaw ? EXCEEDED : null;
	}
	const rateOf = (currency: Address) => prices.usdRate({ chainId: chain.id, currency }, nowMs);
	const asked = rateOf(price.currency);
	const coin = rateOf(ZERO_ADDRESS);
	if (!asked || !coin || asked.answer <= 0n || coin.answer <= 0n) return UNKNOWN;
	const askedUsd = price.raw * asked.answer * 10n ** places(coin);
	const limitUsd = limitRaw * coin.answer * 10n ** places(asked);
	return askedUsd > limitUsd ? EXCEEDED : null;
}

function places(rate: { decimals: number; currencyDecimals: number }): bigint {
	return BigInt(rate.decimals + rate.currencyDecimals);
}
