import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import type { BookOrder } from "#plugins/market-index/event/BookOrder.ts";
import type { Order } from "#plugins/market-index/schemas/orderSchema.ts";

/** Renders an order for clients; prices are for one unit, `totalRaw` is for all of them. */
export function renderOrder(
	order: BookOrder,
	usdOf: (unitNative: string | null) => number | null,
): Order {
	const { currency, symbol, decimals, unitNative } = order;
	return {
		orderHash: order.orderHash,
		kind: order.kind,
		tokenId: order.tokenId,
		maker: order.maker,
		quantity: order.quantity,
		priceNative: displayNative(unitNative),
		priceUsd: usdOf(unitNative),
		amountRaw: (BigInt(order.totalRaw) / BigInt(order.quantity)).toString(),
		totalRaw: order.totalRaw,
		settlementCurrency: { symbol: symbol === "" ? null : symbol, address: currency, decimals },
		criteria: order.criteria,
		isPrivate: order.isPrivate,
		protocolAddress: order.protocolAddress,
		startsAt: displayTime(order.startsAt),
		expiresAt: displayTime(order.expiresAt),
		seenAt: order.seenAt.toISOString(),
	};
}
