/**
 * Returns SQL that joins the collection `c` with an id, by primary key. Its limit keeps the planner
 * from reading the whole table for a page of it, which it prefers while there are few collections.
 */
export function joinCollection(collectionId: string): string {
	return `cross join lateral (
			select * from market_index.collection as c where c.id = ${collectionId} limit 1
		) as c`;
}
