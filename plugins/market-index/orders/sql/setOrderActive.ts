import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/** An order that was retired or taken back, and what one unit of a public listing was asked for. */
export type ChangedOrder = { orderHash: Hex; askNative: string | null };

/**
 * Retires an order, or takes it back into the book; null where that changes nothing. Where some of
 * its units were bought it is retired only if these were all.
 */
export async function setOrderActive(
	tx: Tx,
	set: {
		collectionId: number;
		orderHash: Hex;
		isActive: boolean;
		generation: number;
		at: Date;
		/** Units that were bought; null where it went, or came back, as a whole. */
		bought: bigint | null;
	},
): Promise<ChangedOrder | null> {
	const [row] = await tx.query<Pick<ChangedOrder, "askNative">>(
		`update market_index.market_order set is_active = $3, generation = $4, seen_at = $5,
			retired_at = case when $3 then null else $5::timestamptz end
		where collection_id = $1 and order_hash = $2 and is_active <> $3
			and ($6::numeric is null or quantity <= $6::numeric)
		returning case when kind = 0 and not is_private then unit_native end as "askNative"`,
		[
			set.collectionId,
			Buffer.from(set.orderHash.slice(2), "hex"),
			set.isActive,
			set.generation,
			set.at,
			set.bought,
		],
	);
	return row ? { orderHash: set.orderHash, askNative: row.askNative } : null;
}
