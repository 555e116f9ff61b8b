import type { Queryable } from "#core/db/Database.ts";
import type { Window } from "#plugins/market-index/rollup/windowOf.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";

/** Returns these collections in the order of the given ids, with their figures of the window. */
export async function readCollections<Column extends keyof CollectionRow = keyof CollectionRow>(
	db: Queryable,
	query: {
		collectionIds: readonly number[];
		nowMs: number;
		window: Window;
		columns?: readonly Column[];
	},
): Promise<Pick<CollectionRow, Column>[]> {
	if (query.collectionIds.length === 0) return [];
	const binder = createBinder();
	const ids = binder.bind(query.collectionIds, "int4[]");
	const text = collectionRows(binder, {
		picked: `with picked as (
			select id, place from unnest(${ids}) with ordinality as given (id, place)
		)`,
		nowMs: query.nowMs,
		window: query.window,
		orderBy: "picked.place",
		columns: query.columns,
	});
	return db.query<Pick<CollectionRow, Column>>(text, binder.values);
}
