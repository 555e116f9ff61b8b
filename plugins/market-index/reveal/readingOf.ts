import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";
import { isRevealed } from "#plugins/market-index/reveal/isRevealed.ts";

/** What a token's document shows, as far as a reveal is concerned. */
export type Shown = {
	/** Null where it is not known. */
	uri: string | null;
	imageUrl: string | null;
	traits: readonly RankedTrait[] | null;
};

/** `hidden`: all look alike. `shown`: they differ by traits. `unclear`: it says neither. */
export type RevealReading = "hidden" | "shown" | "unclear";

/**
 * Judges by what some tokens of a collection show whether it is revealed. What counts is what the
 * documents say, and not where they are: a base URI that moved says nothing, and tokens may come
 * out one by one under a URI that never changes.
 *
 * Traits that all have in common ("Status: sealed") tell as little as none.
 */
export function readingOf(tokens: readonly Shown[]): RevealReading {
	if (tokens.length < 2) return "unclear";
	const differ = isRevealed(tokens.map(({ traits }) => ({ traits: traits ?? [] })));
	if (differ) return "shown";
	return isShared(tokens.map(({ uri }) => uri)) || isShared(tokens.map(({ imageUrl }) => imageUrl))
		? "hidden"
		: "unclear";
}

function isShared(texts: readonly (string | null)[]): boolean {
	const [first] = texts;
	return first !== undefined && first !== null && texts.every((text) => text === first);
}
