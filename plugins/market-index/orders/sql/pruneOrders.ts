import type { Queryable } from "#core/db/Database.ts";
import { PRUNED_PER_STATEMENT_MAX, RETIRED_KEPT_MS } from "#plugins/market-index/orders/limits.ts";

/** Retires what has expired, and deletes what was retired a week ago; answers how many rows. */
export async function pruneOrders(db: Queryable, nowMs: number): Promise<number> {
	const expired = await db.execute(
		`update market_index.market_order set is_active = false, retired_at = expires_at
		where (collection_id, order_hash) in (
			select collection_id, order_hash from market_index.market_order
			where is_active and expires_at <= $1 limit $2
		)`,
		[new Date(nowMs), PRUNED_PER_STATEMENT_MAX],
	);
	const deleted = await db.execute(
		`delete from market_index.market_order where (collection_id, order_hash) in (
			select collection_id, order_hash from market_index.market_order
			where not is_active and retired_at < $1 limit $2
		)`,
		[new Date(nowMs - RETIRED_KEPT_MS), PRUNED_PER_STATEMENT_MAX],
	);
	return Math.max(expired, deleted);
}
