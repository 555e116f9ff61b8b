import type { Hex } from "#core/chain/Hex.ts";
import { ORDERS_MAX } from "#plugins/nft-buys/limits.ts";
import { hashOrder } from "#plugins/nft-buys/seaport/hashOrder.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import { wireOrder } from "#plugins/nft-buys/seaport/wireOrder.ts";

/** The signed order that every copy must equal. */
export type SignedAs = { orderHash: Hex; counter: bigint; parameters: OrderParameters };

/**
 * Returns true if a copy of the order that the provider sent beside the call is the same, member by
 * member. The copy is not used; but a provider that contradicts itself is not trusted.
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

/**
 * Returns true for the orders of a fulfilment: none, or the one that the call fills, with its
 * signature.
 */
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
