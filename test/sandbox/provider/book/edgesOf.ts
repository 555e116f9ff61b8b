import { unitEther } from "../market/figuresOf.ts";
import type { Collection, Currency } from "../market/Market.ts";

/** The limits between the best bid and the lowest ask: in ether, for one unit. */
export type Edges = {
	/** Returns the wanted price, or a higher one where it would meet a bid. */
	askFor(ether: number, currency: Currency): number;
	/**
	 * Returns the wanted price, or a lower one where it would meet an ask; null where none is
	 * possible.
	 */
	bidFor(ether: number): number | null;
};

/** Prices have four decimals, and the lowest is ten steps. */
const STEP = 0.0001;
const STEPS_MIN = 10;
/**
 * A coin's rate differs from ours by up to 4 % (`feeds/usdAnswer`). A price in one counts as that
 * much less; otherwise readers who use the feed's rate would see a crossed book.
 */
const COIN_DOUBT = 0.05;

/**
 * Returns the prices that an order may have without crossing another: a bid at an ask's price would
 * simply buy.
 *
 * A listing counts also while its seller has given the token away: it may become valid again, and
 * must then be above later bids.
 */
export function edgesOf({ open }: Collection): Edges {
	let bestBid = 0;
	let lowestAsk = Number.POSITIVE_INFINITY;
	for (const order of open) {
		const ether = unitEther(order);
		const sure = ether * sureShare(order.currency);
		if (order.kind === "listing") lowestAsk = Math.min(lowestAsk, sure);
		else bestBid = Math.max(bestBid, ether);
	}
	return {
		askFor: (ether, currency) => Math.max(ether, (bestBid + STEP) / sureShare(currency)),
		bidFor(ether) {
			const below = Math.round(lowestAsk / STEP) - 1;
			return below < STEPS_MIN ? null : Math.min(ether, below * STEP);
		},
	};
}

/** Returns the share of a price in this currency that is certain. */
function sureShare({ etherPerUnit }: Currency): number {
	return etherPerUnit === 1 ? 1 : 1 - COIN_DOUBT;
}
