import type { Queryable } from "#core/db/Database.ts";

/**
 * Deletes up to `limit` marks of events from before a time: what is not kept is not recognised. The
 * table is read through, once a day, as nothing else goes by its times.
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
