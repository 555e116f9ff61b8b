import type { Queryable } from "#core/db/Database.ts";
import type { Window } from "#plugins/market-index/rollup/windowOf.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import {
	type CollectionColumn,
	type CollectionRow,
	collectionRows,
} from "#plugins/market-index/sql/collectionRows.ts";

/**
 * Returns one collection with its figures of a window, the last 24 hours by default, by primary
 * key. A single id and no list, so that PostgreSQL keeps the plan.
 */
export async function readCollection<Column extends CollectionColumn = CollectionColumn>(
	db: Queryable,
	collectionId: number,
	{ nowMs, ...options }: { nowMs: number; window?: Window; columns?: readonly Column[] },
): Promise<Pick<CollectionRow, Column> | null> {
	const binder = createBinder();
	const id = binder.bind(collectionId, "int4");
	const text = collectionRows(binder, {
		picked: `with picked as (select ${id} as id)`,
		nowMs,
		orderBy: "c.id",
		...options,
	});
	const rows = await db.query<Pick<CollectionRow, Column>>(text, binder.values);
	return rows[0] ?? null;
}
