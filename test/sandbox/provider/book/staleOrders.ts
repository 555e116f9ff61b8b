import { unitEther } from "../market/figuresOf.ts";
import type { BookOrder, Collection } from "../market/Market.ts";

/** Shares of the going price: what lies beyond them its maker takes back. */
const BID_MAX = 0.97;
const ASK_MIN = 0.85;
const ASK_MAX = 1.35;

/**
 * Orders that the price has left behind. Without taking them back the book would stay where the
 * price was: nobody bids above an old ask, or asks less than an old bid.
 */
export function staleOrders({ open }: Collection, goingPrice: number): BookOrder[] {
	return [...open].filter((order) => {
		const share = unitEther(order) / goingPrice;
		if (order.kind !== "listing") return share > BID_MAX;
		return share < ASK_MIN || share > ASK_MAX;
	});
}
