import type { Tx } from "#core/db/Database.ts";
import { capAmount } from "#plugins/market-index/apply/capAmount.ts";
import { storablePayload } from "#plugins/market-index/apply/storablePayload.ts";
import type { ProviderCollectionDetail, ProviderStats } from "#plugins/provider/contract.ts";

/**
 * Stores what the provider says of a collection. What it left out erases nothing that is known; a
 * supply or a number of owners of zero was left out by `syncFigures` already.
 */
export async function storeProviderRow(
	tx: Tx,
	row: {
		collectionId: number;
		detail: ProviderCollectionDetail;
		stats: ProviderStats | null;
		owners: number | null;
		supply: bigint | null;
		listed: number | null;
		at: Date;
	},
): Promise<void> {
	const { detail, stats, supply } = row;
	await tx.execute(
		`update market_index.collection set
			name = coalesce($2, name), image_url = coalesce($3, image_url),
			description = coalesce($4, description),
			banner_image_url = coalesce($5, banner_image_url),
			external_url = coalesce($6, external_url),
			provider_row = coalesce($7::jsonb, provider_row),
			provider_stats = coalesce($8::jsonb, provider_stats),
			provider_stats_at = case when $8::jsonb is null then provider_stats_at else $9 end,
			provider_owners = coalesce($10, provider_owners),
			provider_supply = coalesce($11, provider_supply),
			listed_count = coalesce($12, listed_count),
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
			stats && jsonOf(stats.raw),
			row.at,
			row.owners,
			supply === null ? null : capAmount(supply),
			row.listed,
		],
	);
}

function jsonOf(raw: Readonly<Record<string, unknown>>): string | null {
	const payload = storablePayload(raw);
	return payload && JSON.stringify(payload);
}
