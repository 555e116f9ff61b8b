import type { Queryable } from "#core/db/Database.ts";
import { GAP_MARGIN_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Records that pushes of these collections may have been missed since then: the next lean sync
 * begins with them and reads from there on, and their books are read as soon as they are looked at.
 * A minute is added: the time when a frame was sent is by another clock than its event's.
 *
 * Rows are locked in order of id, as everywhere that several are locked: two streams may break at
 * once. A collection that was never read gets a whole day anyway.
 */
export async function noteGap(
	db: Queryable,
	gap: { slugs: readonly string[]; sinceMs: number },
): Promise<void> {
	await db.execute(
		`update market_index.sync set lean_at = null,
			events_until = case when events_until is not null then least(events_until, $2) end,
			orders_due_at = least(orders_due_at, $2)
		where collection_id in (
			select collection_id from market_index.sync where provider_slug = any($1::text[])
			order by collection_id for update
		)`,
		[gap.slugs, new Date(gap.sinceMs - GAP_MARGIN_MS)],
	);
}
