import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { KnownOrder } from "#plugins/provider/stream/read/createOrderMemory.ts";

export type Parties = { seller: Address; buyer: Address };

/**
 * Returns seller and buyer. The stream names only the order's maker and its taker, and it is not
 * verified which is which for an accepted offer. Two facts are certain: the maker of an order that
 * was seen before is on that order's side, and offers cannot be made in the native coin, so a
 * payment in it means a listing. Null otherwise: a wrong seller is worse than a sale that arrives
 * over HTTP a moment later.
 */
export function partiesOf(sale: {
	maker: Address | null;
	taker: Address | null;
	currency: Address | null;
	known: KnownOrder | null;
}): Parties | null {
	const { maker, taker, currency, known } = sale;
	if (!maker || !taker) return null;
	if (known) {
		const isMaker = maker === known.maker;
		if (!isMaker && taker !== known.maker) return null;
		const other = isMaker ? taker : maker;
		return known.side === "listing"
			? { seller: known.maker, buyer: other }
			: { seller: other, buyer: known.maker };
	}
	return currency === ZERO_ADDRESS ? { seller: maker, buyer: taker } : null;
}
