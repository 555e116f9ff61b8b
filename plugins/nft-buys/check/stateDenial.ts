import { firstDenial } from "#plugins/nft-buys/check/firstDenial.ts";
import type { OrderState } from "#plugins/nft-buys/check/OrderState.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/**
 * Returns why the chain says that an order is over; null: it is open. The provider may learn of
 * that later than we do.
 *
 * @param signedCounter the counter that the order was signed with, by the book; null where it is
 * unknown.
 */
export function stateDenial(state: OrderState, signedCounter: bigint | null): Denial | null {
	const { totalFilled, totalSize, counter } = state;
	const gone = (why: string): [string, string] => ["listing_gone", `The listing was ${why}.`];
	return firstDenial([
		[!state.isCancelled, ...gone("cancelled")],
		[signedCounter === null || signedCounter === counter, ...gone("voided by its seller")],
		[totalSize === 0n || totalFilled < totalSize, ...gone("sold")],
	]);
}
