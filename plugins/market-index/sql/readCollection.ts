import type { Queryable } from "#core/db/Database.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";

/** One collection with its figures of the last 24 hours, by primary key. */
export async function readCollection(
	db: Queryable,
	collectionId: number,
	nowMs: number,
): Promise<CollectionRow | null> {
	const binder = createBinder();
	const id = binder.bind(collectionId, "int4");
	const text = collectionRows(binder, {
		picked: `with picked as (select ${id} as id)`,
		nowMs,
		orderBy: "c.id",
	});
	const rows = await db.query<CollectionRow>(text, binder.values);
	return rows[0] ?? null;
}
