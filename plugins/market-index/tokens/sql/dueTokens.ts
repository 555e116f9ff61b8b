import type { Queryable } from "#core/db/Database.ts";

/** The next tokens of a collection that are to be read, by id. By `token_pkey`. */
export async function dueTokens(
	db: Queryable,
	options: { collectionId: number; after: bigint; at: Date; limit: number },
): Promise<bigint[]> {
	const { collectionId, after, at, limit } = options;
	const rows = await db.query<{ tokenId: string }>(
		`select token_id as "tokenId" from market_index.token
		where collection_id = $1 and token_id > $2::numeric and next_at <= $3
		order by token_id limit $4`,
		[collectionId, after, at, limit],
	);
	return rows.map(({ tokenId }) => BigInt(tokenId));
}
