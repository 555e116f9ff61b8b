import type { Queryable } from "#core/db/Database.ts";
import { BACKLOG_AFTER_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Says whether collections have waited for a first sync for a while. Collections whose sync failed
 * wait for their own time and do not count. By `sync_unsynced`.
 */
export async function isBehind(
	db: Queryable,
	{ chainIds, nowMs }: { chainIds: readonly number[]; nowMs: number },
): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id and not c.excluded
		where s.synced_at is null and s.failures = 0
			and (s.provider_slug is null or s.parts is not null)
			and s.chain_id = any($1::int8[]) and c.registered_at <= $2 limit 1`,
		[chainIds, new Date(nowMs - BACKLOG_AFTER_MS)],
	);
	return rows.length > 0;
}
