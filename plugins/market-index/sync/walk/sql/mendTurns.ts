import type { Queryable } from "#core/db/Database.ts";
import { TURN_MS, TURN_REST_MAX_MS } from "#plugins/market-index/sync/limits.ts";

/** The conditions of the indexes `sync_first`, `sync_walking` and `sync_held`. */
const INDEXED = [
	"events_until is null",
	"walk_until is not null",
	"events_until is not null and walk_until is null",
] as const;

const PLACE = "coalesce(lean_at, '-infinity')";

/**
 * Makes turns due that were claimed by a clock which was set back since: those whose last turn is
 * more than a turn's length ahead of now. Walks that rest after a failure may be further ahead.
 */
export async function mendTurns(
	db: Queryable,
	{ chainIds, nowMs }: { chainIds: readonly number[]; nowMs: number },
): Promise<void> {
	const ahead = INDEXED.map(
		(isIndexed) => `select collection_id from market_index.sync
			where chain_id = any($1::int8[]) and provider_slug is not null and ${isIndexed}
				and ${PLACE} > $2 and (walk_failures = 0 or ${PLACE} > $3)`,
	);
	await db.execute(
		`update market_index.sync set lean_at = null
		where collection_id in (
			select collection_id from market_index.sync
			where collection_id in (${ahead.join(" union all ")}) for update skip locked
		)`,
		[chainIds, new Date(nowMs + TURN_MS), new Date(nowMs + TURN_MS + TURN_REST_MAX_MS)],
	);
}
