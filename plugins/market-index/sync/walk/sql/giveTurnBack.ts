import type { Queryable } from "#core/db/Database.ts";

/**
 * Ends a turn without a result. Without `restUntil` the turn does not count: the collection goes
 * first next time, as before. With it the walk rests until then. `failures`: turns in a row without
 * a result.
 */
export async function giveTurnBack(
	db: Queryable,
	given: {
		id: number;
		turn: number;
		leanAt: Date | null;
		restUntil: Date | null;
		failures: number;
	},
): Promise<void> {
	const { id, turn, leanAt, restUntil, failures } = given;
	await db.execute(
		`update market_index.sync set turn_until = null, lean_at = $3, walk_failures = $4
		where collection_id = $1 and turn = $2`,
		[id, turn, restUntil ?? leanAt, failures],
	);
}
