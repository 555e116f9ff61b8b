import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/**
 * Retires active rows of an earlier generation, of these kinds: the provider's book does not have
 * them any more. Rows seen since the provider was asked stay, as they are newer than the answer.
 * Returns the retired orders' hashes.
 */
export async function retireOrders(
	tx: Tx,
	retire: {
		collectionId: number;
		generation: number;
		kinds: readonly number[];
		/** Orders that belong to this generation as well, though they were not written again. */
		kept: readonly Hex[];
		seenBefore: Date;
		at: Date;
	},
): Promise<Hex[]> {
	const rows = await tx.query<{ orderHash: Hex }>(
		`update market_index.market_order set is_active = false, retired_at = $5
		where collection_id = $1 and is_active and generation < $2 and kind = any($3::int2[])
			and seen_at < $4 and order_hash <> all($6::bytea[])
		returning '0x' || encode(order_hash, 'hex') as "orderHash"`,
		[
			retire.collectionId,
			retire.generation,
			retire.kinds,
			retire.seenBefore,
			retire.at,
			retire.kept.map((hash) => bytesOf(hash)),
		],
	);
	return rows.map(({ orderHash }) => orderHash);
}
