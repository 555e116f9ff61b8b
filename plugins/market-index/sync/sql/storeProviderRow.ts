import type { Tx } from "#core/db/Database.ts";
import { capAmount } from "#plugins/market-index/apply/capAmount.ts";
import { storablePayload } from "#plugins/market-index/apply/storablePayload.ts";
import type { ProviderCollectionDetail, ProviderStats } from "#plugins/provider/contract.ts";

/** One from the future was written by a clock that nobody should wait for. */
const OVERTAKEN = "coalesce(provider_stats_at > $13 and provider_stats_at <= $9, false)";

/**
 * Stores what the provider says of a collection. What it left out erases nothing that is known; a
 * supply or a number of owners of zero was left out by `syncFigures` already. Stats that were told
 * to whoever asked later than this stay.
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
		askedAt: Date;
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
			provider_stats = case when ${OVERTAKEN} then provider_stats
				else coalesce($8::jsonb, provider_stats) end,
			provider_stats_at = case when $8::jsonb is null or ${OVERTAKEN} then provider_stats_at
				else $9 end,
			provider_owners = case when ${OVERTAKEN} then provider_owners
				else coalesce($10, provider_owners) end,
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
			row.askedAt,
		],
	);
}

function jsonOf(raw: Readonly<Record<string, unknown>>): string | null {
	const payload = storablePayload(raw);
	return payload && JSON.stringify(payload);
}
