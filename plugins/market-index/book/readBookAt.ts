import type { Queryable } from "#core/db/Database.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";

/**
 * Returns when the provider's whole book of a collection was last read; null: never. Then only
 * pushed orders are known, and an empty book does not mean that nothing is for sale.
 */
export async function readBookAt(db: Queryable, collectionId: number): Promise<string | null> {
	const rows = await db.query<{ orders_at: Date | null }>(
		"select orders_at from market_index.sync where collection_id = $1",
		[collectionId],
	);
	return displayTime(rows[0]?.orders_at ?? null);
}
