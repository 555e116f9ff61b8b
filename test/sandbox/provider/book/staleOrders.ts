import { unitEther } from "../market/figuresOf.ts";
import type { BookOrder, Collection } from "../market/Market.ts";

/** Shares of the current price: an order outside of them is cancelled by its maker. */
const BID_MAX = 0.97;
const ASK_MIN = 0.85;
const ASK_MAX = 1.35;

/**
 * Returns orders that no longer fit the price. Without cancelling them the book would stay at the
 * old price: no bid goes above an old ask, and no ask below an old bid.
 */
export function staleOrders({ open }: Collection, goingPrice: number): BookOrder[] {
	return [...open].filter((order) => {
		const share = unitEther(order) / goingPrice;
		if (order.kind !== "listing") return share > BID_MAX;
		return share < ASK_MIN || share > ASK_MAX;
	});
}
