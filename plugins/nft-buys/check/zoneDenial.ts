import { hexToBigInt, size, slice } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { firstDenial } from "#plugins/nft-buys/check/firstDenial.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/**
 * The provider's zone for signed permissions: it allows orders that the provider signed for this
 * buyer.
 */
const SIGNED_ZONES: ReadonlySet<Address> = new Set(["0x000056f7000000ece9003ca63978907a00ffd100"]);
/** Types of orders that need the zone's permission: 2 whole, 3 in parts. */
const RESTRICTED_FROM = 2;
const RESTRICTED_TO = 3;
/** SIP-7: version, buyer, expiry, a compact signature, and then context. */
const HEAD_BYTES = 1 + 20 + 8 + 64;

/**
 * Returns why the data for the order's zone may not be sent; null: it may. An open order's zone is
 * not called, so its data must be empty. A restricted one's is called with our bytes, so it must be
 * a known zone, and the bytes a valid permission for this wallet; the zone itself checks the
 * signature when the call is simulated.
 */
export function zoneDenial(
	{ orderType, zone }: OrderParameters,
	given: { extraData: Hex; wallet: Address; nowMs: number },
): Denial | null {
	const { extraData, wallet, nowMs } = given;
	if (orderType < RESTRICTED_FROM) {
		return firstDenial([
			[extraData === "0x", "fulfilment_mismatch", "An open order has no extra data."],
		]);
	}
	const isKnown = orderType <= RESTRICTED_TO && SIGNED_ZONES.has(zone);
	if (!isKnown) return { code: "zone_unknown", detail: "A zone that nobody knows must agree." };
	if (size(extraData) < HEAD_BYTES) {
		return { code: "fulfilment_mismatch", detail: "The zone's permission is missing." };
	}
	const buyer = slice(extraData, 1, 21);
	const expiresAtS = hexToBigInt(slice(extraData, 21, 29));
	return firstDenial([
		[
			slice(extraData, 0, 1) === "0x00" && (buyer === wallet || buyer === ZERO_ADDRESS),
			"fulfilment_mismatch",
			"The zone's permission is for somebody else.",
		],
		[expiresAtS * 1_000n > BigInt(nowMs), "listing_gone", "The zone's permission has run out."],
	]);
}
