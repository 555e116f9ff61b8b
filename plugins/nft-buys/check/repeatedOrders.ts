import type { Hex } from "#core/chain/Hex.ts";
import { ORDERS_MAX } from "#plugins/nft-buys/limits.ts";
import { hashOrder } from "#plugins/nft-buys/seaport/hashOrder.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import { wireOrder } from "#plugins/nft-buys/seaport/wireOrder.ts";

/** An order as it must be wherever the provider writes it. */
export type SignedAs = { orderHash: Hex; counter: bigint; parameters: OrderParameters };

/**
 * Whether an order that the provider wrote somewhere beside the call is the same one, member by
 * member. Nothing of it is used; who contradicts themselves is not bought from.
 */
export function isSameOrder(written: unknown, as: SignedAs): boolean {
	const { data } = wireOrder.listed.safeParse(written);
	if (!data) return false;
	const { counter, ...parameters } = data.parameters;
	return (
		hashOrder(parameters, counter ?? as.counter) === as.orderHash &&
		(counter ?? as.counter) === as.counter &&
		parameters.totalOriginalConsiderationItems === as.parameters.totalOriginalConsiderationItems
	);
}

/** The orders of a fulfilment: none, or the one that the call fills, with its signature. */
export function areSameOrders(
	orders: readonly unknown[],
	as: SignedAs & { signature: Hex },
): boolean {
	if (orders.length > ORDERS_MAX) return false;
	return orders.every((order) => {
		const signature = wireOrder.listed.safeParse(order).data?.signature ?? as.signature;
		return isSameOrder(order, as) && signature === as.signature;
	});
}
