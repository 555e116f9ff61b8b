// Decides what a refused or failed buy means for its plan, by the code of the failure.

import type { Held } from "#plugins/wallets/contract.ts";

/** What a refused or failed buy means for its plan. */
type Refusal = {
	/** No other listing would succeed now: the pass ends. */
	endsPass: boolean;
	/** The same listing may be tried once more, in a later pass. */
	mayTryAgain: boolean;
};

const LATER: Refusal = { endsPass: true, mayTryAgain: true };

/**
 * A code that is missing here concerns the listing alone (sold, cancelled, too expensive, a forged
 * order): the next listing is tried at once, and this one never again.
 */
const refusals: Readonly<Record<string, Refusal>> = {
	rate_limited: LATER,
	provider_unavailable: LATER,
	provider_unreadable: LATER,
	provider_off: LATER,
	chain_unavailable: LATER,
	chain_unreadable: LATER,
	chain_behind: LATER,
	usd_rate_unavailable: LATER,
	daily_limit: LATER,
	gas_reserve: LATER,
	network_fee_limit: LATER,
	trading_disabled: LATER,
	kind_disabled: LATER,
	policy_denied: LATER,
	no_executable_wallet: LATER,
	wallet_provider_refused: LATER,
	hand_over_late: LATER,
	// It is proven that nothing was sent: the process died, or the provider lost it.
	not_sent: { endsPass: false, mayTryAgain: true },
	quote_expired: { endsPass: false, mayTryAgain: true },
	// A cheaper one may fit, and the wallet may be funded.
	balance_insufficient: { endsPass: false, mayTryAgain: true },
};

/** Returns true if a pass ends with that code. */
export function endsPass(errorCode: string | null): boolean {
	return errorCode !== null && (refusals[errorCode]?.endsPass ?? false);
}

/** Returns true if the same listing may be tried again. An expired intent was never sent. */
export function mayTryAgain(errorCode: string | null, status: Held["status"]): boolean {
	if (status === "expired") return true;
	return errorCode !== null && (refusals[errorCode]?.mayTryAgain ?? false);
}

/** Returns true if the provider had no capacity: the plan is evaluated again soon. */
export function isLimited(errorCode: string | null): boolean {
	return errorCode === "rate_limited" || errorCode === "provider_unavailable";
}
