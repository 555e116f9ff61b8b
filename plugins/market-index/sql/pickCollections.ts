import type { Queryable } from "#core/db/Database.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { COLLECTION_ORDER } from "#plugins/market-index/sql/collectionOrder.ts";
import {
	type CollectionQuery,
	pickedCollections,
} from "#plugins/market-index/sql/pickedCollections.ts";

/** A collection of a page, with the sums that choosing it has made; null where it made none. */
export type Picked = {
	id: number;
	sales: number | null;
	priced: number | null;
	volume: string;
	mints: number;
};

/**
 * Picks the first collections of an order by a window's figures, for an answer with several orders:
 * most collections are in more than one, so their rows are read together afterwards. `minting` sums
 * up the last hour, the others the given window.
 */
export async function pickCollections(
	db: Queryable,
	query: CollectionQuery & { order: "trending" | "market" | "minting" },
): Promise<Picked[]> {
	const binder = createBinder();
	return db.query<Picked>(
		`${pickedCollections(binder, query)}
		select picked.id, picked.sales::int8 as sales, picked.priced::int8 as priced, picked.volume,
			picked.mints::int8 as mints
		from picked order by ${COLLECTION_ORDER[query.order].picked("picked")}`,
		binder.values,
	);
}
