import type { Queryable } from "#core/db/Database.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";

/** Returns what streams show of collections, by primary key. */
export async function readCollectionNames(
	db: Queryable,
	ids: readonly number[],
): Promise<Map<number, KnownCollection>> {
	const rows = await db.query<Omit<KnownCollection, "isNew">>(
		`select id, '0x' || encode(address, 'hex') as address, slug, name, image_url as "imageUrl",
			excluded
		from market_index.collection where id = any($1::int4[])`,
		[ids],
	);
	return new Map(rows.map((row) => [row.id, { ...row, isNew: false }]));
}
