import { type Address, zeroAddress } from "viem";
import { addresses } from "../addresses.ts";
import type { ConsiderationItem } from "../order/Order.ts";

/**
 * Returns a price as a listing asks it: the seller's part, 1 % for the market, 5 % for the artist.
 */
export function splitPayment(
	priceUnits: bigint,
	to: { seller: Address; artist: Address; token: Address; multipleOf?: bigint },
): ConsiderationItem[] {
	// A partial fill takes a fraction of every item, and Seaport refuses one that is not whole.
	const step = to.multipleOf ?? 1n;
	const fee = (priceUnits / 100n / step) * step;
	const royalty = (priceUnits / 20n / step) * step;
	return [
		payment(priceUnits - fee - royalty, { recipient: to.seller, token: to.token }),
		payment(fee, { recipient: addresses.marketFee, token: to.token }),
		payment(royalty, { recipient: to.artist, token: to.token }),
	];
}

function payment(amount: bigint, to: { recipient: Address; token: Address }): ConsiderationItem {
	return {
		itemType: to.token === zeroAddress ? 0 : 1,
		token: to.token,
		identifierOrCriteria: 0n,
		startAmount: amount,
		endAmount: amount,
		recipient: to.recipient,
	};
}
