import type { Sale, TokenAdapter, Venue } from "#plugins/chain-scanner/contract.ts";

/**
 * Returns the adapter that a sale names in place of its token; undefined where it names the token.
 */
export function adapterOf(
	sale: Pick<Sale, "contract">,
	venue: Pick<Venue, "adapters">,
): TokenAdapter | undefined {
	return venue.adapters?.find(({ adapter }) => adapter === sale.contract);
}
