import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { adapterOf } from "#plugins/chain-scanner/sale/adapterOf.ts";

/**
 * Whether the venue's logs leave open who gave the token, or which token it is. Nearly all sales
 * leave nothing open, and their receipts are never fetched.
 */
export function needsReceipt({
	sale,
	venue,
}: {
	sale: Sale;
	venue: Pick<Venue, "adapters">;
}): boolean {
	return sale.sellerUnproven === true || adapterOf(sale, venue) !== undefined;
}
