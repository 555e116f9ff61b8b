import type { ProviderTraitFloor } from "#plugins/provider/contract.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/**
 * Reads the best ask for tokens with a value, in one currency. Zero means none, so it is left out.
 */
export function readTraitFloor(row: unknown): Reading<ProviderTraitFloor> {
	const { data } = wire.traitFloor.safeParse(row);
	if (!data?.trait_type || !data.value) return "unreadable";
	const { floor_price: floor, payment_token_symbol: symbol } = data;
	if (!floor || symbol === null) return "elsewhere";
	return { type: data.trait_type, value: data.value, floor, symbol };
}
