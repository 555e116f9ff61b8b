import { unitEther } from "../market/figuresOf.ts";
import type { Collection, Currency } from "../market/Market.ts";

/** The room between the best bid and the lowest ask: all in ether, for one unit. */
export type Edges = {
	/** The price wanted, or more where it would meet a bid. */
	askFor(ether: number, currency: Currency): number;
	/** The price wanted, or less where it would meet an ask; null where nothing is left below. */
	bidFor(ether: number): number | null;
};

/** Prices have four decimals, and none is lower than ten of the last. */
const STEP = 0.0001;
const STEPS_MIN = 10;
/**
 * The rate of a coin strays from ours by 4 % (`feeds/usdAnswer`). What is asked for in one counts
 * as so much less, or readers with the feed's rate would see a crossed book.
 */
const COIN_DOUBT = 0.05;

/**
 * Where an order may come without crossing another: whoever bid what is asked would just buy.
 *
 * A listing counts also while its seller has given the token away: it may come back, and must then
 * stand above the bids that came meanwhile.
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

/** How much of a price in this currency is certain. */
function sureShare({ etherPerUnit }: Currency): number {
	return etherPerUnit === 1 ? 1 : 1 - COIN_DOUBT;
}
