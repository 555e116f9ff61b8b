import type { Queryable } from "#core/db/Database.ts";

/**
 * Deletes up to `limit` marks of events from before a time, as events that are not kept need none.
 * The table is scanned, once a day, as nothing else reads by its times.
 */
export async function pruneUnconfirmed(
	db: Queryable,
	options: { before: Date; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.unconfirmed where ctid = any(array(
			select ctid from market_index.unconfirmed where occurred_at < $1 limit $2
		))`,
		[options.before, options.limit],
	);
}
