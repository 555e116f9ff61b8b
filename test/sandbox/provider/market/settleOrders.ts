import type { Address, Hex } from "viem";
import { ORDERS_MAX } from "./limits.ts";
import type { BookOrder, Collection, Market, MarketChange } from "./Market.ts";

/** Ends an order for good: it stays known by its hash. */
export function endOrder(
	market: Market,
	order: BookOrder,
	status: "FULFILLED" | "EXPIRED" | "CANCELLED",
): void {
	order.status = status;
	order.revision += 1;
	market.collections.get(order.slug)?.open.delete(order);
}

/** Ends what ran out by this time, and forgets the oldest of what ended long ago. */
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

/** Takes units off an order that was filled on chain. */
export function fillOrder(market: Market, hash: Hex, units: bigint): BookOrder | null {
	const order = market.orders.get(hash);
	if (!order) return null;
	order.remaining = order.remaining > units ? order.remaining - units : 0n;
	order.revision += 1;
	if (order.remaining === 0n) endOrder(market, order, "FULFILLED");
	return order;
}

/**
 * A holder's units changed: his listings of the token can be filled or cannot any more.
 *
 * The provider looks at the chain too, so a listing whose seller gave the token away is inactive,
 * and active again when he gets it back.
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

/** Voids what a maker signed before his counter moved. */
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
