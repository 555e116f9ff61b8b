import type { Denial } from "#plugins/wallets/contract.ts";

/** What an intent is denied with where an operator switched off what it needs. */
export const switchedOff: Denial = {
	code: "trading_disabled",
	detail: "An operator has switched this off for now.",
};
