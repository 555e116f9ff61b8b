import type { Queryable } from "#core/db/Database.ts";

/** Returns tokens that failed, and for which no other source has told anything. By `token_pkey`. */
export async function unheardTokens(
	db: Queryable,
	collectionId: number,
	limit: number,
): Promise<bigint[]> {
	const rows = await db.query<{ tokenId: string }>(
		`select token_id as "tokenId" from market_index.token
		where collection_id = $1 and source is null and failures > 0
		order by token_id limit $2`,
		[collectionId, limit],
	);
	return rows.map(({ tokenId }) => BigInt(tokenId));
}
