import type { Queryable } from "#core/db/Database.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import {
	COLLECTION_ORDER,
	type CollectionOrder,
} from "#plugins/market-index/sql/collectionOrder.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import {
	type CollectionQuery,
	pickedCollections,
} from "#plugins/market-index/sql/pickedCollections.ts";

/**
 * Returns the first collections of an order, with their figures: all of them, or the columns named.
 */
export async function listCollections<Column extends keyof CollectionRow = keyof CollectionRow>(
	db: Queryable,
	query: CollectionQuery & { columns?: readonly Column[] },
): Promise<Pick<CollectionRow, Column>[]> {
	const binder = createBinder();
	const text = collectionRows(binder, {
		picked: pickedCollections(binder, query),
		nowMs: query.nowMs,
		window: query.window,
		orderBy: COLLECTION_ORDER[query.order].picked("c"),
		columns: query.columns,
		summed: SUMMED[query.order],
	});
	return db.query<Pick<CollectionRow, Column>>(text, binder.values);
}

/** The sums that `pickedCollections` makes for each active collection. */
const SUMMED: Partial<Record<CollectionOrder, readonly ("window" | "mints1h")[]>> = {
	trending: ["window"],
	market: ["window"],
	minting: ["mints1h"],
};
