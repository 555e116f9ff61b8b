import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import type { KnownOrder } from "#plugins/market-index/orders/sql/readKnownOrders.ts";

/** Whether writing an order would change nothing. What is not told now would erase nothing. */
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
