import type { Queryable } from "#core/db/Database.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** What lists show of a token with an event. */
export type TokenFacts = {
	imageUrl: string | null;
	traits: TokenTrait[] | null;
	rank: number | null;
};

/**
 * Returns what is known of a collection's tokens, by id in decimal. One look-up each in
 * `token_pkey`.
 */
export async function readTokenFacts(
	db: Queryable,
	collectionId: number,
	tokenIds: readonly string[],
): Promise<ReadonlyMap<string, TokenFacts>> {
	if (tokenIds.length === 0) return new Map();
	const rows = await db.query<TokenFacts & { tokenId: string }>(
		`select token_id as "tokenId", image_url as "imageUrl", traits, rank
		from market_index.token where collection_id = $1 and token_id = any($2::numeric[])`,
		[collectionId, [...new Set(tokenIds)]],
	);
	return new Map(rows.map(({ tokenId, ...facts }) => [tokenId, facts]));
}
