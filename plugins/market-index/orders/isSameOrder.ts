import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import type { KnownOrder } from "#plugins/market-index/orders/sql/readKnownOrders.ts";

/**
 * Says whether storing an order would change nothing. A member that is missing now would not erase
 * the stored one.
 */
export function isSameOrder(row: OrderRow, known: KnownOrder | undefined): boolean {
	return (
		known !== undefined &&
		row.quantity === known.quantity &&
		row.totalRaw === known.totalRaw &&
		(row.unitNative === null || row.unitNative === known.unitNative) &&
		row.isPrivate === known.isPrivate &&
		(row.protocolData === null || known.hasProtocolData) &&
		row.startsAt?.getTime() === known.startsAt?.getTime() &&
		row.expiresAt?.getTime() === known.expiresAt?.getTime()
	);
}
