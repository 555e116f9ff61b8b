import type { Queryable } from "#core/db/Database.ts";
import { PRUNED_PER_STATEMENT_MAX } from "#plugins/market-index/orders/limits.ts";

/** Returns collections with active orders that have expired. */
export async function findExpired(db: Queryable, nowMs: number): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select distinct collection_id as id from (
			select collection_id from market_index.market_order
			where is_active and expires_at <= $1 limit $2
		) as over order by id`,
		[new Date(nowMs), PRUNED_PER_STATEMENT_MAX],
	);
	return rows.map(({ id }) => id);
}
