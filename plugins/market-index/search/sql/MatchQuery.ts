import type { HitPlace } from "#plugins/market-index/search/HitPlace.ts";

/** Which collections are searched for, and which page of them. */
export type MatchQuery = {
	chainIds: readonly number[];
	/** Beginnings of words: a match has a word for each of them in its name or slug. */
	terms: readonly string[];
	slug: string;
	after: HitPlace | null;
	limit: number;
};
