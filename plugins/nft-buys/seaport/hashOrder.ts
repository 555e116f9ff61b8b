import { hashStruct } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";

const ITEM = [
	{ name: "itemType", type: "uint8" },
	{ name: "token", type: "address" },
	{ name: "identifierOrCriteria", type: "uint256" },
	{ name: "startAmount", type: "uint256" },
	{ name: "endAmount", type: "uint256" },
] as const;
const TYPES = {
	OrderComponents: [
		{ name: "offerer", type: "address" },
		{ name: "zone", type: "address" },
		{ name: "offer", type: "OfferItem[]" },
		{ name: "consideration", type: "ConsiderationItem[]" },
		{ name: "orderType", type: "uint8" },
		{ name: "startTime", type: "uint256" },
		{ name: "endTime", type: "uint256" },
		{ name: "zoneHash", type: "bytes32" },
		{ name: "salt", type: "uint256" },
		{ name: "conduitKey", type: "bytes32" },
		{ name: "counter", type: "uint256" },
	],
	OfferItem: ITEM,
	ConsiderationItem: [...ITEM, { name: "recipient", type: "address" }],
} as const;

/**
 * Returns an order's hash as Seaport and the marketplaces define it: the EIP-712 struct with the
 * seller's counter, without the domain. It covers everything that the seller signed, so an order
 * with the listing's hash is that listing.
 */
export function hashOrder(parameters: OrderParameters, counter: bigint): Hex {
	const { totalOriginalConsiderationItems: _, ...components } = parameters;
	return hashStruct({
		types: TYPES,
		primaryType: "OrderComponents",
		data: { ...components, counter },
	});
}
