import type { BudgetShare, BudgetTerms } from "#core/budget/Budget.ts";
import { MINUTE_MS } from "#core/time/units.ts";
import type { ProviderPurpose } from "#plugins/provider/contract.ts";
import {
	CALLS_FOR_BUYERS,
	CALLS_FOR_CLIENTS,
	CALLS_OF_BACKGROUND_MAX,
	CALLS_OF_CLIENTS_MAX,
	CALLS_OF_ENDLESS_MAX,
	CALLS_OF_SEARCHES_MAX,
	CALLS_OF_VIEWS_MAX,
	CALLS_PER_MINUTE_MAX,
} from "#plugins/provider/limits.ts";

const CLIENT: BudgetShare = { of: "client", perWindow: CALLS_OF_CLIENTS_MAX };

const SHARES: Readonly<Record<ProviderPurpose, readonly BudgetShare[]>> = {
	request: [CLIENT],
	view: [CLIENT, { of: "view", perWindow: CALLS_OF_VIEWS_MAX }],
	search: [CLIENT, { of: "search", perWindow: CALLS_OF_SEARCHES_MAX }],
	background: [{ of: "background", perWindow: CALLS_OF_BACKGROUND_MAX }],
	endless: [{ of: "endless", perWindow: CALLS_OF_ENDLESS_MAX }],
};

/** The last calls of the minute that a purpose leaves to more urgent ones. */
const LEFT: Readonly<Record<ProviderPurpose, number>> = {
	request: 0,
	view: CALLS_FOR_BUYERS,
	search: CALLS_FOR_BUYERS,
	background: CALLS_FOR_CLIENTS,
	endless: CALLS_FOR_CLIENTS,
};

/**
 * Returns the budget terms of one call of this purpose: it is granted where the whole limit and
 * each of its shares have room. Whatever all others do, 30 calls a minute are left to the
 * background, 10 to buyers, and 10 to pages and searches while no one buys.
 */
export function termsOf(purpose: ProviderPurpose): BudgetTerms {
	const perWindow = CALLS_PER_MINUTE_MAX - LEFT[purpose];
	return { amount: 1, perWindow, windowMs: MINUTE_MS, shares: SHARES[purpose] };
}
