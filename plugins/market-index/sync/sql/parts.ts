// Stores the provider's detail and stats of a collection, and finds outdated supplies.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { capAmount } from "#plugins/market-index/rollup/windows.ts";
import { jsonOf } from "#plugins/market-index/sync/sql/syncs.ts";
import type { ProviderCollectionDetail, ProviderStats } from "#plugins/provider/contract.ts";

/**
 * True where newer stats are stored. A time in the future does not count: a wrong clock wrote it.
 */
const OVERTAKEN = "coalesce(provider_stats_at > $4 and provider_stats_at <= $5, false)";

const OWNERS_MAX = 2_147_483_647;

/**
 * Returns collections with more mints than when their contract was last asked, latest mints first.
 */
export async function behindSupplies(
	db: Queryable,
	{ chainIds, limit }: { chainIds: readonly number[]; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select id from market_index.collection
		where chain_id = any($1::int8[]) and not excluded and mints > supply_mints
		order by last_mint_at desc nulls last limit $2`,
		[chainIds, limit],
	);
	return rows.map(({ id }) => id);
}

/**
 * Stores the provider's detail of a collection. Missing members erase nothing but what it says of
 * who the collection is: an old `verified` is no present one. A supply of zero means not counted
 * yet.
 */
export async function storeDetail(
	tx: Tx,
	row: {
		collectionId: number;
		detail: ProviderCollectionDetail;
		supply: bigint | null;
		at: Date;
	},
): Promise<void> {
	const { detail, supply } = row;
	await tx.execute(
		`update market_index.collection set
			name = coalesce($2, name), image_url = coalesce($3, image_url),
			description = coalesce($4, description),
			banner_image_url = coalesce($5, banner_image_url),
			external_url = coalesce($6, external_url), safelist_status = $10,
			provider_row = coalesce($7::jsonb, provider_row),
			provider_supply = coalesce($8, provider_supply),
			provider_supply_at = case when $8::numeric is null then provider_supply_at else $9 end,
			last_provider_at = $9
		where id = $1`,
		[
			row.collectionId,
			detail.name,
			detail.imageUrl,
			detail.description,
			detail.bannerImageUrl,
			detail.projectUrl,
			jsonOf(detail.raw),
			supply !== null && supply > 0n ? capAmount(supply) : null,
			row.at,
			detail.safelistStatus,
		],
	);
}

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
