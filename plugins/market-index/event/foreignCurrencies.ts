import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";

/** Returns the ERC-20s that events were paid in, each once: those whose names must be looked up. */
export function foreignCurrencies(events: Iterable<{ currency: Address | null }>): Address[] {
	const foreign = new Set<Address>();
	for (const { currency } of events) {
		if (currency !== null && currency !== ZERO_ADDRESS) foreign.add(currency);
	}
	return [...foreign];
}
