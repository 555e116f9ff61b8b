import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** A trait in the form of ERC-721 metadata, which providers use as well. */
export type ShownTrait = { trait_type: string; value: string; display_type?: string };

export function renderTraits(traits: readonly TokenTrait[] | null): ShownTrait[] | null {
	if (traits === null) return null;
	return traits.map(({ type, value, displayType }) => ({
		trait_type: type,
		value,
		...(displayType !== undefined && { display_type: displayType }),
	}));
}
