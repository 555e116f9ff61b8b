import type { Denial, SpendSituation } from "#plugins/wallets/contract.ts";

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
