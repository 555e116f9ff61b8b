import type { ProviderTraitFloor } from "#plugins/provider/contract.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** The best ask for a token with a value, in one currency. Zero is none, and so it is left out. */
export function readTraitFloor(row: unknown): Reading<ProviderTraitFloor> {
	const { data } = wire.traitFloor.safeParse(row);
	if (!data?.trait_type || !data.value) return "unreadable";
	const { floor_price: floor, payment_token_symbol: symbol } = data;
	if (!floor || symbol === null) return "elsewhere";
	return { type: data.trait_type, value: data.value, floor, symbol };
}
