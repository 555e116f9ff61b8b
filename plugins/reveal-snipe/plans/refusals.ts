import type { Standing } from "#plugins/reveal-snipe/plans/standings.ts";

/** What follows for a plan from a buy that was refused or failed. */
type Refusal = {
	/** Nothing else of this plan would go better now: the pass ends. */
	endsPass: boolean;
	/** The same listing may be tried once more, in a later pass. */
	mayTryAgain: boolean;
};

const LATER: Refusal = { endsPass: true, mayTryAgain: true };

/**
 * What is not here concerns the listing alone (sold, cancelled, too dear, a forged order): the next
 * one is tried at once, and that one never again.
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
	// It is proven that nothing left: its process died, or the provider lost it.
	not_sent: { endsPass: false, mayTryAgain: true },
	quote_expired: { endsPass: false, mayTryAgain: true },
	// A cheaper one may fit, and the wallet may be filled.
	balance_insufficient: { endsPass: false, mayTryAgain: true },
};

/** Whether a pass ends with that code. */
export function endsPass(errorCode: string | null): boolean {
	return errorCode !== null && (refusals[errorCode]?.endsPass ?? false);
}

/** Whether the same listing may be tried again after that. What ran out was never asked about. */
export function mayTryAgain(errorCode: string | null, status: Standing["status"]): boolean {
	if (status === "expired") return true;
	return errorCode !== null && (refusals[errorCode]?.mayTryAgain ?? false);
}

/** Whether the provider had no room: it is asked again soon. */
export function isLimited(errorCode: string | null): boolean {
	return errorCode === "rate_limited" || errorCode === "provider_unavailable";
}
