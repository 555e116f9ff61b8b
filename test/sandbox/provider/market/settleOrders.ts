import type { Address, Hex } from "viem";
import { ORDERS_MAX } from "./limits.ts";
import type { BookOrder, Collection, Market, MarketChange } from "./Market.ts";

/** Ends an order permanently; it can still be found by its hash. */
export function endOrder(
	market: Market,
	order: BookOrder,
	status: "FULFILLED" | "EXPIRED" | "CANCELLED",
): void {
	order.status = status;
	order.revision += 1;
	market.collections.get(order.slug)?.open.delete(order);
}

/** Ends orders that expired by this time, and drops those that ended longest ago. */
export function expireOrders(market: Market, timeS: number): void {
	for (const collection of market.collections.values()) {
		for (const order of collection.open) {
			if (order.expiresS <= timeS) endOrder(market, order, "EXPIRED");
		}
	}
	if (market.orders.size <= ORDERS_MAX * 1.1) return;
	for (const [hash, order] of market.orders) {
		if (market.orders.size <= ORDERS_MAX) return;
		if (order.status !== "ACTIVE" && order.status !== "INACTIVE") market.orders.delete(hash);
	}
}

/**
 * Takes units off an order that was filled on chain; returns the order, or null if it is unknown.
 */
export function fillOrder(market: Market, hash: Hex, units: bigint): BookOrder | null {
	const order = market.orders.get(hash);
	if (!order) return null;
	order.remaining = order.remaining > units ? order.remaining - units : 0n;
	order.revision += 1;
	if (order.remaining === 0n) endOrder(market, order, "FULFILLED");
	return order;
}

/**
 * Updates a holder's listings after their units changed: they can be filled again, or no longer.
 *
 * The provider watches the chain too, so a listing whose seller gave the token away is inactive,
 * and active again when the token is back.
 */
export function recheckListings(
	collection: Collection,
	of: { holder: Address; id: bigint },
	timeS: number,
): MarketChange[] {
	const held = collection.holders.get(of.id)?.get(of.holder) ?? 0n;
	const changes: MarketChange[] = [];
	for (const order of collection.open) {
		const isHis = order.kind === "listing" && order.maker === of.holder;
		if (!isHis || order.tokenId !== of.id) continue;
		const status = held >= order.remaining ? "ACTIVE" : "INACTIVE";
		if (status === order.status) continue;
		order.status = status;
		order.revision += 1;
		changes.push({ kind: status === "ACTIVE" ? "valid" : "invalid", order, timeS });
	}
	return changes;
}

/** Cancels what a maker signed before their counter changed. */
export function retireMaker(market: Market, maker: Address, timeS: number): MarketChange[] {
	market.retired.add(maker);
	const changes: MarketChange[] = [];
	for (const collection of market.collections.values()) {
		for (const order of collection.open) {
			if (order.maker !== maker) continue;
			endOrder(market, order, "CANCELLED");
			changes.push({ kind: "gone", order, timeS });
		}
	}
	return changes;
}
