import type { Denial, SpendSituation } from "#plugins/wallets/contract.ts";

/**
 * Whether limits allow a transfer; null: they do. Who is new must be known for a while before money
 * goes there by itself, where the deployment asks for that: that is the time its owner has to see
 * what somebody does in their name.
 */
export function transferDenial(situation: SpendSituation): Denial | null {
	const { usdMicros, spentTodayUsdMicros, limits, recipientKnownForMs } = situation;
	const of = (code: string, detail: string): Denial => ({ code, detail });
	if (usdMicros === null) {
		return of("usd_rate_unavailable", "It cannot be priced in USD right now.");
	}
	if (usdMicros > limits.perTradeUsdMicros) {
		return of("per_trade_limit", "It is more than the profile may send at once.");
	}
	if (usdMicros > limits.walletNotionalUsdMicros) {
		return of("wallet_notional_limit", "It is more than the wallet may move.");
	}
	if (spentTodayUsdMicros + usdMicros > limits.dailyUsdMicros) {
		return of("daily_limit", "It is more than is left of the profile's day.");
	}
	// Also where nobody says who gets it: a transfer always has somebody.
	if ((recipientKnownForMs ?? 0) < limits.recipientCooldownMs) {
		return of("recipient_cooldown", "The recipient is new. Try again once it is known for longer.");
	}
	return null;
}
