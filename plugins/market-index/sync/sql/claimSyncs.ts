import type { Tx } from "#core/db/Database.ts";
import {
	BEGUN_AHEAD_MS,
	IN_LINE_MS,
	QUEUED_AHEAD_MS,
	WATCHED_AHEAD_MS,
} from "#plugins/market-index/sync/limits.ts";

/** Its place in the order of turns. */
const PLACE = `due.next_at
	- case when c.sync_status = 'queued' then interval '${QUEUED_AHEAD_MS} ms' else '0' end
	- case when due.watched_until > $2 then interval '${WATCHED_AHEAD_MS} ms' else '0' end
	- case when due.parts is not null then interval '${BEGUN_AHEAD_MS} ms' else '0' end`;

/**
 * Claims collections whose full sync is due, and returns them in order, the oldest first. Those
 * never synced, those that are looked at, and those with stored parts go before others, but only by
 * a limited time: however many of them come, a collection further behind than that has its turn. A
 * failed one always waits for its own time.
 */
export async function claimSyncs(
	tx: Tx,
	claim: { chainIds: readonly number[]; nowMs: number; limit: number },
): Promise<{ id: number; isWatched: boolean }[]> {
	const rows = await tx.query<{ id: number; isWatched: boolean; place: Date }>(
		`update market_index.sync as s set next_at = $3, enqueued_at = $2
		from (
			select due.collection_id, ${PLACE} as place from market_index.sync as due
			join market_index.collection as c on c.id = due.collection_id and not c.excluded
			where due.next_at <= $2 and due.chain_id = any($1::int8[])
			order by place, due.collection_id limit $4 for update of due skip locked
		) as taken
		where s.collection_id = taken.collection_id
		returning s.collection_id as id, coalesce(s.watched_until > $2, false) as "isWatched", place`,
		[claim.chainIds, new Date(claim.nowMs), new Date(claim.nowMs + IN_LINE_MS), claim.limit],
	);
	// An update returns its rows in any order.
	const inOrder = rows.toSorted((a, b) => a.place.getTime() - b.place.getTime() || a.id - b.id);
	return inOrder.map(({ id, isWatched }) => ({ id, isWatched }));
}
