import type { Tx } from "#core/db/Database.ts";
import { capAmount } from "#plugins/market-index/rollup/capAmount.ts";
import { jsonOf } from "#plugins/market-index/sync/sql/jsonOf.ts";
import type { ProviderCollectionDetail } from "#plugins/provider/contract.ts";

/**
 * Stores the provider's detail of a collection. Missing members erase nothing; a supply of zero
 * means not counted yet.
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
			external_url = coalesce($6, external_url),
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
		],
	);
}
