import { type Check, firstDenial } from "#plugins/nft-buys/check/firstDenial.ts";
import type { Wanted } from "#plugins/nft-buys/check/Wanted.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

const HASH = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Returns why the provider's data about a listing rules it out, before any other call; null: it
 * does not. The data is not trusted here: the signed order is checked later.
 */
export function listingDenial(listing: ProviderOrder, wanted: Wanted): Denial | null {
	const { startsAtMs, expiresAtMs } = listing;
	const other = (what: string): [string, string] => [
		"listing_mismatch",
		`The provider answered a listing of another ${what}.`,
	];
	const gone = ["listing_gone", "The listing is no longer for sale."] as const;
	const checks: Check[] = [
		[listing.side === "listing" && listing.kind === "listing", ...other("kind")],
		[HASH.test(listing.orderHash) && ADDRESS.test(listing.maker), ...other("form")],
		[listing.chainId === wanted.chainId, ...other("chain")],
		[listing.protocolAddress === wanted.marketplace, ...other("marketplace")],
		[listing.contract === wanted.contract, ...other("collection")],
		[listing.tokenId === wanted.tokenId, ...other("token")],
		[listing.isActive, ...gone],
		[expiresAtMs === null || expiresAtMs > wanted.nowMs, ...gone],
		[
			startsAtMs === null || startsAtMs <= wanted.nowMs,
			"listing_gone",
			"The listing has not begun.",
		],
		[!listing.isPrivate, "listing_private", "The listing is for somebody else."],
		[listing.maker !== wanted.wallet, "listing_own", "The listing is the wallet's own."],
		[
			listing.quantity >= wanted.quantity,
			"liquidity_insufficient",
			"The listing has fewer units than are wanted.",
		],
		[
			listing.currency !== null,
			"listing_unsupported",
			"The listing asks for more than one currency.",
		],
	];
	return firstDenial(checks);
}
