import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** A token's metadata. */
export type TokenDocument = {
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	/** Null where the document has no traits. */
	traits: TokenTrait[] | null;
};
