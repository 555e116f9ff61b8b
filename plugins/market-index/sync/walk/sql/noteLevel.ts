import type { Queryable } from "#core/db/Database.ts";
import { LEVEL_BREAK_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Records that a chain's lanes are level with its head and have left nothing out. If they were not
 * seen level for a while, the span begins anew: what they left out meanwhile is not known.
 */
export async function noteLevel(
	db: Queryable,
	{ chainId, until }: { chainId: number; until: Date },
): Promise<void> {
	await db.execute(
		`insert into market_index.chain_span as span (chain_id, level_from, level_until)
		values ($1, $2, $2)
		on conflict (chain_id) do update set level_until = excluded.level_until,
			level_from = case when span.level_until >= $3 then span.level_from
				else excluded.level_from end
		where excluded.level_until > span.level_until`,
		[chainId, until, new Date(until.getTime() - LEVEL_BREAK_MS)],
	);
}
