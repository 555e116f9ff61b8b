import type { Queryable } from "#core/db/Database.ts";
import { PRUNED_PER_STATEMENT_MAX, RETIRED_KEPT_MS } from "#plugins/market-index/orders/limits.ts";

/** Deletes orders retired a week ago, by `market_order_retired`; returns how many rows. */
export function deleteRetired(db: Queryable, nowMs: number): Promise<number> {
	return db.execute(
		`delete from market_index.market_order where (collection_id, order_hash) in (
			select collection_id, order_hash from market_index.market_order
			where not is_active and retired_at < $1 limit $2 for update skip locked
		)`,
		[new Date(nowMs - RETIRED_KEPT_MS), PRUNED_PER_STATEMENT_MAX],
	);
}
