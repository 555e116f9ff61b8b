import type { Queryable } from "#core/db/Database.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import type { Walk } from "#plugins/market-index/sync/walk/Walk.ts";

/**
 * Stores where a walk continues, and ends the turn. Does nothing where another turn has the walk.
 */
export async function keepWalk(
	db: Queryable,
	{ id, turn }: Pick<ClaimedTurn, "id" | "turn">,
	walk: Walk & { baseAt: Date | null; types: readonly string[] },
): Promise<void> {
	await db.execute(
		`update market_index.sync set walk_base = $3, walk_from = $4, walk_until = $5,
			walk_reached = $6, walk_cursor = $7, walk_types = $8, walk_pages = $9, walk_idle = $10,
			events_newest = $11, events_newest_types = $8, walk_hole = $12, walk_failures = 0,
			turn_until = null
		where collection_id = $1 and turn = $2`,
		[
			...[id, turn, walk.baseAt, new Date(walk.fromMs), new Date(walk.untilMs)],
			...[new Date(walk.reachedMs), walk.cursor, walk.types, walk.pages, walk.idle],
			walk.topMs === null ? null : new Date(walk.topMs),
			walk.holeMs === null ? null : new Date(walk.holeMs),
		],
	);
}
