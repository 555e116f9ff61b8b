import type { Tx } from "#core/db/Database.ts";
import { IN_LINE_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Takes collections whose full sync is due: those never synced first, then those that somebody
 * looks at, then the stalest. A failed one waits for its own time, whoever looks.
 */
export async function claimSyncs(
	tx: Tx,
	claim: { chainIds: readonly number[]; nowMs: number; limit: number },
): Promise<{ id: number; isWatched: boolean }[]> {
	return tx.query(
		`update market_index.sync as s set next_at = $3, enqueued_at = $2
		where s.collection_id in (
			select due.collection_id from market_index.sync as due
			join market_index.collection as c on c.id = due.collection_id and not c.excluded
			where due.next_at <= $2 and due.chain_id = any($1::int8[])
			order by (c.sync_status = 'queued') desc, coalesce(due.watched_until > $2, false) desc,
				due.next_at
			limit $4 for update of due skip locked
		)
		returning s.collection_id as id, coalesce(s.watched_until > $2, false) as "isWatched"`,
		[claim.chainIds, new Date(claim.nowMs), new Date(claim.nowMs + IN_LINE_MS), claim.limit],
	);
}
