import type { Queryable } from "#core/db/Database.ts";

export type DueOptions = {
	collectionId: number;
	after: bigint;
	at: Date;
	limit: number;
	/** Set where all tokens are read again: those not read since then are due. */
	since?: Date | undefined;
};

/**
 * Returns the next due tokens of a collection, by id. By `token_pkey`. A failed token is due when
 * its time comes, also where all are read again.
 */
export async function dueTokens(db: Queryable, options: DueOptions): Promise<bigint[]> {
	const { collectionId, after, at, limit, since } = options;
	const isDue = since
		? "(tried_at is null or tried_at < $5 or (failures > 0 and next_at <= $3))"
		: "next_at <= $3";
	const rows = await db.query<{ tokenId: string }>(
		`select token_id as "tokenId" from market_index.token
		where collection_id = $1 and token_id > $2::numeric and ${isDue}
		order by token_id limit $4`,
		[collectionId, after, at, limit, ...(since ? [since] : [])],
	);
	return rows.map(({ tokenId }) => BigInt(tokenId));
}
