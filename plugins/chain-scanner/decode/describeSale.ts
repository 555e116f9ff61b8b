import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";

/**
 * Returns a sale as `svc decode` prints it. `priceRaw` is for one unit, as an event's price is;
 * amounts are decimal strings, and `currency` is the zero address for the chain's native currency.
 */
export function describeSale(sale: Sale, venue: Pick<Venue, "id">) {
	const { totalRaw, quantity } = sale;
	return {
		venue: venue.id,
		contract: sale.contract,
		tokenId: sale.tokenId.toString(),
		quantity: quantity.toString(),
		priceRaw: totalRaw === null ? null : (totalRaw / quantity).toString(),
		currency: sale.currency,
		seller: sale.seller,
		buyer: sale.buyer,
		accepted: sale.accepted,
		reason: sale.reason,
	};
}
