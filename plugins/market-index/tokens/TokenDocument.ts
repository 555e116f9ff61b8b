import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** What a token says of itself. */
export type TokenDocument = {
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	/** Null where the document does not speak of traits. */
	traits: TokenTrait[] | null;
};
