import type { Tx } from "#core/db/Database.ts";
import { IN_LINE_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Marks collections as queued, unless they were within `everyMs`; returns those that are. The
 * second statement decides, on rows as the last one left them: so it holds across processes that
 * ask in the same millisecond. `watchMs` also takes the watch lease.
 */
export async function putInLine(
	tx: Tx,
	asked: {
		collectionIds: readonly number[];
		nowMs: number;
		everyMs: number;
		watchMs: number | null;
	},
): Promise<number[]> {
	const { collectionIds, nowMs, everyMs, watchMs } = asked;
	await tx.execute(
		`insert into market_index.sync as s (collection_id, chain_id, watched_until)
		select id, chain_id, $2::timestamptz from market_index.collection
		where id = any($1::int4[]) and not excluded order by id
		on conflict (collection_id) do update set
			watched_until = greatest(s.watched_until, excluded.watched_until)
		where excluded.watched_until is not null`,
		[collectionIds, watchMs === null ? null : new Date(nowMs + watchMs)],
	);
	const rows = await tx.query<{ id: number }>(
		`update market_index.sync set enqueued_at = $2, next_at = $4
		where collection_id in (
			select s.collection_id from market_index.sync as s
			join market_index.collection as c on c.id = s.collection_id and not c.excluded
			where s.collection_id = any($1::int4[])
				and (s.enqueued_at is null or s.enqueued_at <= $3)
			order by s.collection_id for update of s
		)
		returning collection_id as id`,
		[collectionIds, new Date(nowMs), new Date(nowMs - everyMs), new Date(nowMs + IN_LINE_MS)],
	);
	return rows.map(({ id }) => id).sort((a, b) => a - b);
}
