import type { Queryable } from "#core/db/Database.ts";

/** What merging needs to know of a collection. */
export type MergedInto = { standard: "erc721" | "erc1155"; excluded: boolean };

/**
 * Reads it by primary key. Null where the collection is gone, because its events left the chain.
 */
export async function readMergedInto(
	db: Queryable,
	collectionId: number,
): Promise<MergedInto | null> {
	const rows = await db.query<MergedInto>(
		`select standard, excluded from market_index.collection where id = $1`,
		[collectionId],
	);
	return rows[0] ?? null;
}
