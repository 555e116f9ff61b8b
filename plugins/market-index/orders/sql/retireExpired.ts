import type { Tx } from "#core/db/Database.ts";
import type { ChangedOrder } from "#plugins/market-index/orders/sql/setOrdersActive.ts";

/** Retires expired orders of a collection. The caller must hold the lock of its book. */
export function retireExpired(
	tx: Tx,
	{ collectionId, nowMs }: { collectionId: number; nowMs: number },
): Promise<ChangedOrder[]> {
	return tx.query<ChangedOrder>(
		`update market_index.market_order set is_active = false, retired_at = expires_at
		where collection_id = $1 and is_active and expires_at <= $2
		returning '0x' || encode(order_hash, 'hex') as "orderHash",
			case when kind = 0 and not is_private then unit_native end as "askNative"`,
		[collectionId, new Date(nowMs)],
	);
}
