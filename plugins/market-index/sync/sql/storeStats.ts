import type { Tx } from "#core/db/Database.ts";
import { jsonOf } from "#plugins/market-index/sync/sql/jsonOf.ts";
import type { ProviderStats } from "#plugins/provider/contract.ts";

/**
 * True where newer stats are stored. A time in the future does not count: a wrong clock wrote it.
 */
const OVERTAKEN = "coalesce(provider_stats_at > $4 and provider_stats_at <= $5, false)";

const OWNERS_MAX = 2_147_483_647;

/**
 * Stores the provider's stats of a collection. Stats of a later request stay. Zero owners means not
 * counted yet, and erases nothing.
 */
export async function storeStats(
	tx: Tx,
	row: {
		collectionId: number;
		stats: ProviderStats;
		owners: number | null;
		/** Sales in the last day; null where they are not this contract's alone. */
		salesDay: number | null;
		askedAt: Date;
		at: Date;
	},
): Promise<void> {
	const { collectionId, stats, owners, salesDay, askedAt, at } = row;
	const isCount = owners !== null && owners > 0 && owners <= OWNERS_MAX;
	await tx.execute(
		`update market_index.collection set
			provider_stats = case when ${OVERTAKEN} then provider_stats
				else coalesce($2::jsonb, provider_stats) end,
			provider_stats_at = case when $2::jsonb is null or ${OVERTAKEN} then provider_stats_at
				else $5 end,
			provider_owners = case when ${OVERTAKEN} then provider_owners
				else coalesce($3, provider_owners) end,
			provider_owners_at = case when $3::int4 is null or ${OVERTAKEN} then provider_owners_at
				else $5 end,
			provider_sales_day = case when $2::jsonb is null or ${OVERTAKEN} then provider_sales_day
				else $6 end
		where id = $1`,
		[collectionId, jsonOf(stats.raw), isCount ? owners : null, askedAt, at, salesDay],
	);
}
