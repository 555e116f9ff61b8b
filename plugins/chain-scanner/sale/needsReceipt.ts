import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { adapterOf } from "#plugins/chain-scanner/sale/adapterOf.ts";

/**
 * Says whether the venue's logs do not show who gave the token, or which token it is. Nearly all
 * sales show both, and their receipts are never read.
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
