import type { Denial, SpendSituation } from "#plugins/wallets/contract.ts";

/**
 * Whether limits in dollars allow a spend; null: they do. What has no price in dollars is denied,
 * since no limit can hold it.
 */
export function spendDenial(situation: SpendSituation): Denial | null {
	const { usdMicros, spentTodayUsdMicros, limits } = situation;
	if (usdMicros === null) {
		return { code: "usd_rate_unavailable", detail: "It cannot be priced in USD right now." };
	}
	if (usdMicros > limits.perTradeUsdMicros) {
		return { code: "per_trade_limit", detail: "It is more than the profile's limit a trade." };
	}
	if (usdMicros > limits.walletNotionalUsdMicros) {
		return { code: "wallet_notional_limit", detail: "It is more than the wallet may move." };
	}
	if (spentTodayUsdMicros + usdMicros > limits.dailyUsdMicros) {
		return { code: "daily_limit", detail: "It is more than is left of the profile's day." };
	}
	return null;
}
