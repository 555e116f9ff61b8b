import type { Queryable } from "#core/db/Database.ts";

/**
 * Deletes up to `limit` events from before a time that have no month of their own, and returns how
 * many. The table is scanned: it is small, and an index on time alone would have no other use.
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
