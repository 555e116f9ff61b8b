import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/** Retires an order, or takes it back into the book; answers its hash where that changed it. */
export async function setOrderActive(
	tx: Tx,
	set: { collectionId: number; orderHash: Hex; isActive: boolean; generation: number; at: Date },
): Promise<Hex[]> {
	const touched = await tx.execute(
		`update market_index.market_order set is_active = $3, generation = $4, seen_at = $5,
			retired_at = case when $3 then null else $5::timestamptz end
		where collection_id = $1 and order_hash = $2 and is_active <> $3`,
		[
			set.collectionId,
			Buffer.from(set.orderHash.slice(2), "hex"),
			set.isActive,
			set.generation,
			set.at,
		],
	);
	return touched === 0 ? [] : [set.orderHash];
}
