import { cleanTrait } from "#core/outside/cleanTrait.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** Reads one trait of a token; null unless its value is plain, as it may be any JSON. */
export function readTrait(row: unknown): ProviderTrait | null {
	const { data } = wire.trait.safeParse(row);
	if (!data) return null;
	const { trait_type: type, value, display_type: displayType } = data;
	return cleanTrait({ type, value, displayType });
}
