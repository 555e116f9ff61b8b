import type { Queryable } from "#core/db/Database.ts";

/**
 * Deletes up to `limit` events from before a time that have no month of their own. The table is
 * read through: what is in it is little, and an index on time alone would serve nothing else.
 */
export async function pruneElsewhere(
	db: Queryable,
	options: { before: Date; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.event_elsewhere where ctid = any(array(
			select ctid from market_index.event_elsewhere where occurred_at < $1 limit $2
		))`,
		[options.before, options.limit],
	);
}
