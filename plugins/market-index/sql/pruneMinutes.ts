import type { Queryable } from "#core/db/Database.ts";

/** Deletes up to `limit` minutes of one chain from before a time, by `rollup_minute_recent`. */
export async function pruneMinutes(
	db: Queryable,
	options: { chainId: number; before: Date; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.rollup_minute where ctid = any(array(
			select ctid from market_index.rollup_minute
			where chain_id = $1 and bucket < $2 order by bucket limit $3
		))`,
		[options.chainId, options.before, options.limit],
	);
}
