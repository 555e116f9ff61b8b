import type { Queryable } from "#core/db/Database.ts";
import { TOKENS_MAX } from "#plugins/market-index/tokens/limits.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** Returns the traits of all tokens with known ones, by id: ties in rank keep that order. */
export async function tokenTraits(
	db: Queryable,
	collectionId: number,
): Promise<{ id: string; traits: TokenTrait[] }[]> {
	return db.query<{ id: string; traits: TokenTrait[] }>(
		`select token_id as id, traits from market_index.token
		where collection_id = $1 and traits is not null order by token_id limit $2`,
		[collectionId, TOKENS_MAX],
	);
}
