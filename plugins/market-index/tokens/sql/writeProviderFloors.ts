import type { Tx } from "#core/db/Database.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

/**
 * Stores the provider's floors in place of the former ones; a value that it does not name has none.
 */
export async function writeProviderFloors(
	tx: Tx,
	collectionId: number,
	floors: readonly { type: string; value: string; floor: bigint }[],
): Promise<void> {
	await lockTokens(tx, collectionId);
	await tx.execute(
		`update market_index.trait_count as kept set floor_native = f.floor
		from market_index.trait_count as old
		left join (
			select trait_type, value, min(floor) as floor
			from unnest($2::text[], $3::text[], $4::numeric[]) as told (trait_type, value, floor)
			group by 1, 2
		) as f on f.trait_type = old.trait_type and f.value = old.value
		where old.collection_id = $1 and kept.collection_id = $1
			and kept.trait_type = old.trait_type and kept.value = old.value
			and kept.floor_native is distinct from f.floor`,
		[
			collectionId,
			floors.map(({ type }) => type),
			floors.map(({ value }) => value),
			floors.map(({ floor }) => floor),
		],
	);
}
