import type { Tx } from "#core/db/Database.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/CollectionChange.ts";
import { AMOUNT_MAX } from "#plugins/market-index/rollup/capAmount.ts";

/**
 * Adds the new worth of sales to their collections, by primary key; the newest sale is shown with
 * its price. Counts stay: the sales were counted before.
 */
export async function priceCollections(
	tx: Tx,
	changes: readonly CollectionChange[],
): Promise<void> {
	if (changes.length === 0) return;
	await tx.execute(
		`update market_index.collection as kept set
			volume_native = least(kept.volume_native + given.volume, ${AMOUNT_MAX}),
			last_sale_unit_native = case
				when kept.last_sale_position = given.position and kept.last_sale_token_id = given.token_id
				then given.unit_native else kept.last_sale_unit_native end
		from unnest($1::int4[], $2::numeric[], $3::int8[], $4::numeric[], $5::numeric[])
			as given (id, volume, position, token_id, unit_native)
		where kept.id = given.id`,
		[
			changes.map(({ collectionId }) => collectionId),
			changes.map(({ volume }) => volume),
			changes.map(({ lastSale }) => lastSale?.position ?? null),
			changes.map(({ lastSale }) => lastSale?.tokenId ?? null),
			changes.map(({ lastSale }) => lastSale?.unitNative ?? null),
		],
	);
}
