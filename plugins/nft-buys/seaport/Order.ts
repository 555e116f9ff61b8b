// Defines Seaport's orders, their hash, its ABI, and the contracts that they are filled by.

import { hashStruct, parseAbi } from "viem";
import { conduits, isOnChain, seaports } from "#core/chain/builtinChains.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";

/**
 * The functions whose every argument we check. Each fills one order for its sender; all others
 * (several orders, matches, partial availability) allow more errors than a buy needs.
 */
export type FillingFunction =
	| "fulfillBasicOrder"
	| "fulfillBasicOrder_efficient_6GL6yc"
	| "fulfillOrder"
	| "fulfillAdvancedOrder";

/** Holds what a fulfilment would do, in one form for all functions. Parsed, but not checked yet. */
export type Filling = {
	call: FillingFunction;
	parameters: OrderParameters;
	/** The part of the order that is filled. */
	numerator: bigint;
	denominator: bigint;
	signature: Hex;
	/** Data for the zone; empty for functions without it. */
	extraData: Hex;
	/** The conduit that would take our ERC-20. */
	fulfillerConduitKey: Hex;
	/** The address that gets the token; the zero address means the sender. */
	recipient: Address;
	/** The number of tokens that it would choose for criteria. */
	resolvers: number;
};

/**
 * Seaport's kinds of items: 0 native coin, 1 ERC-20, 2 ERC-721, 3 ERC-1155, 4 and 5 any that
 * matches.
 */
type OrderItem = {
	itemType: number;
	token: Address;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
};

export type ConsiderationItem = OrderItem & { recipient: Address };

/** `OrderParameters` as Seaport's ABI names them: what the seller signed, without the counter. */
export type OrderParameters = {
	offerer: Address;
	zone: Address;
	offer: OrderItem[];
	consideration: ConsiderationItem[];
	orderType: number;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	conduitKey: Hex;
	totalOriginalConsiderationItems: bigint;
};

/** The part of Seaport 1.6 that is needed to buy from a listing. */
export const seaportAbi = parseAbi([
	"struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }",
	"struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }",
	"struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }",
	"struct Order { OrderParameters parameters; bytes signature; }",
	"struct AdvancedOrder { OrderParameters parameters; uint120 numerator; uint120 denominator; bytes signature; bytes extraData; }",
	"struct CriteriaResolver { uint256 orderIndex; uint8 side; uint256 index; uint256 identifier; bytes32[] criteriaProof; }",
	"struct AdditionalRecipient { uint256 amount; address recipient; }",
	"struct BasicOrderParameters { address considerationToken; uint256 considerationIdentifier; uint256 considerationAmount; address offerer; address zone; address offerToken; uint256 offerIdentifier; uint256 offerAmount; uint8 basicOrderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 offererConduitKey; bytes32 fulfillerConduitKey; uint256 totalOriginalAdditionalRecipients; AdditionalRecipient[] additionalRecipients; bytes signature; }",
	"function fulfillBasicOrder(BasicOrderParameters parameters) payable returns (bool)",
	"function fulfillBasicOrder_efficient_6GL6yc(BasicOrderParameters parameters) payable returns (bool)",
	"function fulfillOrder(Order order, bytes32 fulfillerConduitKey) payable returns (bool)",
	"function fulfillAdvancedOrder(AdvancedOrder advancedOrder, CriteriaResolver[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient) payable returns (bool)",
	"function getOrderStatus(bytes32 orderHash) view returns (bool isValidated, bool isCancelled, uint256 totalFilled, uint256 totalSize)",
	"function getCounter(address offerer) view returns (uint256 counter)",
]);

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

export const NO_CONDUIT: Hex = `0x${"0".repeat(64)}`;
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

/**
 * Returns the address that takes our ERC-20 for a conduit key: the marketplace itself without a
 * key. Null: a conduit that is unknown on this chain.
 */
export function spenderOf(conduitKey: Hex, chainId: number): Address | null {
	if (conduitKey === NO_CONDUIT) return marketplaceOf(chainId);
	const known = conduits.find((one) => one.key === conduitKey && isOnChain(one, chainId));
	return known?.address ?? null;
}

/**
 * Returns the one marketplace contract that is called on a chain. One, not a list: a call with
 * money to an address without code succeeds, and the money is lost.
 */
export function marketplaceOf(chainId: number): Address {
	const called = seaports.find((one) => one.isCalled && isOnChain(one, chainId));
	assert(called !== undefined, "each chain has one marketplace contract that is called");
	return called.address;
}
