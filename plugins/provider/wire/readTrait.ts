import { cleanTrait } from "#core/outside/cleanTrait.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** One trait of a token, or null: a value may be any JSON, and only a plain one is a value. */
export function readTrait(row: unknown): ProviderTrait | null {
	const { data } = wire.trait.safeParse(row);
	if (!data) return null;
	const { trait_type: type, value, display_type: displayType } = data;
	return cleanTrait({ type, value, displayType });
}
