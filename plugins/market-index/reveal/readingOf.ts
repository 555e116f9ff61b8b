import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";
import { isRevealed } from "#plugins/market-index/reveal/isRevealed.ts";

/** What a token's document shows, as far as a reveal is concerned. */
export type Shown = {
	/** Null where it is not known. */
	uri: string | null;
	imageUrl: string | null;
	traits: readonly RankedTrait[] | null;
};

/** `hidden`: all look alike. `shown`: they differ by traits. `unclear`: neither is certain. */
export type RevealReading = "hidden" | "shown" | "unclear";

/**
 * Judges from some tokens' documents whether a collection is revealed. The content of documents
 * counts, not their address: a moved base URI means nothing, and tokens may be revealed one by one
 * under a URI that never changes.
 *
 * Traits that all tokens share ("Status: sealed") say as little as none.
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
