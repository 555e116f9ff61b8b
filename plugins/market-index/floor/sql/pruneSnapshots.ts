import type { Queryable } from "#core/db/Database.ts";
import {
	SNAPSHOTS_ALL_MS,
	SNAPSHOTS_KEPT_MS,
	SNAPSHOTS_PER_STATEMENT_MAX,
} from "#plugins/market-index/floor/limits.ts";

/**
 * Deletes snapshots that no figure needs any more: all but the last one of each hour beyond two
 * days, all beyond 90. Returns how many rows one statement deleted.
 */
export function pruneSnapshots(db: Queryable, nowMs: number): Promise<number> {
	return db.execute(
		`delete from market_index.floor_snapshot where (collection_id, at) in (
			select s.collection_id, s.at from market_index.floor_snapshot as s
			where s.at < $2 or (s.at < $1 and exists (
				select from market_index.floor_snapshot as later
				where later.collection_id = s.collection_id and later.at > s.at
					and later.at < date_bin(interval '1 hour', s.at, timestamptz '1970-01-01 00:00:00+00')
						+ interval '1 hour'
					and later.at < $1
			))
			limit $3
		)`,
		[
			new Date(nowMs - SNAPSHOTS_ALL_MS),
			new Date(nowMs - SNAPSHOTS_KEPT_MS),
			SNAPSHOTS_PER_STATEMENT_MAX,
		],
	);
}
