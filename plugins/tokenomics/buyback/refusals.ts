// Lists the reasons why a run spends nothing.

import type { Denial } from "#plugins/wallets/contract.ts";

/** A reason to spend nothing, as it is shown. */
export type Refusal = Denial & { code: RefusalCode };

/**
 * Why a run spends nothing: each reason by its code, with a sentence. What an operator does about
 * each is in the README.
 */
export const refusals = {
	disabled: "Buying back is switched off.",
	token_not_launched: "The token is not launched.",
	contracts_missing: "The revenue router or the burner is not named.",
	contracts_changed: "The contracts are others than when the run began.",
	contracts_unreadable: "A contract does not answer as router, burner or quoter.",
	no_wallet: "There is no wallet that may buy back.",
	trading_disabled: "An operator has switched this off for now.",
	previous_open: "The run before it is still under way.",
	previous_uncertain: "Nobody can say yet what became of a run before it.",
	payee_differs: "The router pays the burn's share to another address than the keeper's.",
	keeper_differs: "The burner takes orders from another address than the keeper's.",
	token_differs: "The burner burns another token.",
	keeper_without_gas: "The keeper's wallet holds too little of the chain's coin for gas.",
	nothing_to_spend: "There is not enough revenue to spend yet.",
	day_limit: "The day's maximum is spent.",
	no_price: "Nobody knows what the currency of the revenue is worth in dollars.",
	currency_not_named: "BUYBACK_CURRENCIES does not name that currency.",
	no_pool: "No configured pool trades the token for that currency.",
	pool_empty: "The pools hold nothing.",
	pool_too_young: "No pool knows its prices over the whole time that is averaged.",
	observations_few: "The pools keep too few observations to average their price over the time.",
	pool_thin: "The pool is too shallow for so much.",
	price_moved: "The pool's price is too far from its average.",
	price_impact: "The purchase would move the pool's price too far.",
	quotes_disagree: "The quotes are too far apart.",
	token_unsafe: "Less would be burned than the pool pays: the token keeps a part of it.",
	simulation_failed: "It would fail on chain.",
	turn_failed: "The turn failed by a mistake of the service's own.",
	chain_unavailable: "The chain's node does not answer.",
} as const;

export type RefusalCode = keyof typeof refusals;

/** Returns a reason by its code; `more` adds what is particular of this run. */
export function refusal(code: RefusalCode, more?: string): Refusal {
	return { code, detail: more === undefined ? refusals[code] : `${refusals[code]} ${more}` };
}
