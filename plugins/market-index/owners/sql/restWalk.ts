import type { Queryable } from "#core/db/Database.ts";

/** Puts a walk aside for a while, so that others go on. */
export async function restWalk(db: Queryable, setId: number, restMs: number): Promise<void> {
	await db.execute(
		`update market_index.ownership
		set rest_until = clock_timestamp() + $2 * interval '1 millisecond'
		where set_id = $1`,
		[setId, restMs],
	);
}
