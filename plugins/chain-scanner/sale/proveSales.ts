import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { adapterOf } from "#plugins/chain-scanner/sale/adapterOf.ts";
import { proveDelivery } from "#plugins/chain-scanner/sale/proveDelivery.ts";
import { proveSellers } from "#plugins/chain-scanner/sale/proveSellers.ts";
import type { TokenMove } from "#plugins/chain-scanner/sale/tokenMoves.ts";

type Read = { sale: Sale; venue: Pick<Venue, "adapters"> };

/**
 * Compares a transaction's sales with what its tokens say moved: names the token where the venue
 * named an adapter, and the seller where it named who was paid; a sale that never reached its buyer
 * is not accepted. `moves` is null where the tokens' logs were not read: then the venue's word
 * counts, except about an adapter's tokens, which only their own log proves.
 */
export function proveSales<Some extends Read>(
	sales: readonly Some[],
	moves: readonly TokenMove[] | null,
): Some[] {
	const named = sales.map((read) => withToken(read, moves));
	if (moves === null) return named;
	return proveDelivery(proveSellers(named, moves), moves);
}

/**
 * Returns a sale with the token's name: an adapter is no collection, so even an unproven sale is
 * stored under the token's.
 */
function withToken<Some extends Read>(read: Some, moves: readonly TokenMove[] | null): Some {
	const adapter = adapterOf(read.sale, read.venue);
	if (!adapter) return read;
	const contract = adapter.token;
	const { tokenId, accepted, standard } = read.sale;
	const move = moves?.find((one) => one.contract === contract && one.tokenId === tokenId);
	const sale: Sale = { ...read.sale, contract, standard: move?.standard ?? standard };
	// With moves the delivery decides, as it does for every other token.
	if (moves !== null || !accepted) return { ...read, sale };
	return { ...read, sale: { ...sale, accepted: false, reason: "not_delivered" } };
}
