import type { Queryable } from "#core/db/Database.ts";
import type { Window } from "#plugins/market-index/rollup/windowOf.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";

/** A collection with the figures that were read already; null for those still to be read. */
export type KnownFigures = {
	id: number;
	window: { sales: number; priced: number | null; volume: string } | null;
	mints1h: number | null;
};

/** Reads the rows of collections that `pickCollections` chose, in any order. */
export async function readPicked<Column extends keyof CollectionRow>(
	db: Queryable,
	query: {
		picked: readonly KnownFigures[];
		nowMs: number;
		window: Window;
		columns: readonly Column[];
	},
): Promise<Pick<CollectionRow, Column>[]> {
	const { picked, ...options } = query;
	const binder = createBinder();
	const ids = binder.bind(
		picked.map(({ id }) => id),
		"int4[]",
	);
	const sales = binder.bind(
		picked.map(({ window }) => window?.sales ?? null),
		"int8[]",
	);
	const priced = binder.bind(
		picked.map(({ window }) => window?.priced ?? null),
		"int8[]",
	);
	const volume = binder.bind(
		picked.map(({ window }) => window?.volume ?? null),
		"numeric[]",
	);
	const mints = binder.bind(
		picked.map(({ mints1h }) => mints1h),
		"int8[]",
	);
	const text = collectionRows(binder, {
		...options,
		picked: `with picked as (
			select * from unnest(${ids}, ${sales}, ${priced}, ${volume}, ${mints})
				as given (id, sales, priced, volume, mints)
		)`,
		orderBy: "c.id",
		summed: ["window", "mints1h"],
	});
	return db.query<Pick<CollectionRow, Column>>(text, binder.values);
}
