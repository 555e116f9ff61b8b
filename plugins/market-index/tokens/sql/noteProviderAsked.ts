import type { Queryable } from "#core/db/Database.ts";

/** Records when the provider was asked for all tokens. The row exists: its slug is from there. */
export async function noteProviderAsked(
	db: Queryable,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<void> {
	await db.execute("update market_index.sync set nfts_at = $2 where collection_id = $1", [
		collectionId,
		at,
	]);
}
