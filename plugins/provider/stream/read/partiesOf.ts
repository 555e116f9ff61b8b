import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { KnownOrder } from "#plugins/provider/stream/read/createOrderMemory.ts";

export type Parties = { seller: Address; buyer: Address };

/**
 * Who sold and who bought. The stream names only the order's maker and its taker, and for an
 * accepted offer nobody has verified which of the two is which. Two things are certain: the maker
 * of an order that was seen before is on the side that it was made for, and nobody can offer the
 * native coin, so what was paid in it was a listing. Null otherwise: a wrong seller is worse than
 * a sale that arrives over HTTP a moment later.
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
