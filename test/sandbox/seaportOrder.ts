// Describes, hashes and signs Seaport orders, independently of the service.

import {
	type Address,
	concatHex,
	type Hex,
	keccak256,
	pad,
	parseAbi,
	stringToHex,
	toHex,
	zeroAddress,
	zeroHash,
} from "viem";
import { sign } from "viem/accounts";
import { addresses, conduitKey } from "./knownContracts.ts";
import type { Actor } from "./World.ts";

/** The item types of Seaport that this world signs. */
export type ItemType = 0 | 1 | 2 | 3 | 4;

export type OfferItem = {
	itemType: ItemType;
	token: Address;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
};

export type ConsiderationItem = OfferItem & { recipient: Address };

/** What an order's hash covers, with any item and order type of Seaport. */
export type HashedOrder = Omit<
	OrderParameters,
	"offer" | "consideration" | "orderType" | "totalOriginalConsiderationItems"
> & {
	offer: readonly HashedItem[];
	consideration: readonly (HashedItem & { recipient: Address })[];
	orderType: number;
};
type HashedItem = Omit<OfferItem, "itemType"> & { itemType: number };

/** OrderParameters as Seaport's ABI names them; this world's orders all have the counter 0. */
export type OrderParameters = {
	offerer: Address;
	zone: Address;
	offer: OfferItem[];
	consideration: ConsiderationItem[];
	orderType: 0 | 1;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	conduitKey: Hex;
	totalOriginalConsiderationItems: bigint;
};

export type SignedOrder = { parameters: OrderParameters; signature: Hex };

/**
 * BasicOrderParameters of an order that fits them: one offered item, then payments in one currency.
 */
export type BasicParameters = {
	considerationToken: Address;
	considerationIdentifier: bigint;
	considerationAmount: bigint;
	offerer: Address;
	zone: Address;
	offerToken: Address;
	offerIdentifier: bigint;
	offerAmount: bigint;
	basicOrderType: number;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	offererConduitKey: Hex;
	fulfillerConduitKey: Hex;
	totalOriginalAdditionalRecipients: bigint;
	additionalRecipients: { amount: bigint; recipient: Address }[];
	signature: Hex;
};

export type OrderDraft = {
	offer: OfferItem[];
	consideration: ConsiderationItem[];
	salt: bigint;
	/** The time of the block that fills it; the order opens an hour before and ends a week after. */
	nowS: number;
	partial?: boolean;
};

// Seaport's routes, four order types each: what is paid with and what is handed over.
const route = {
	nativeTo721: 0,
	nativeTo1155: 4,
	coinTo721: 8,
	coinTo1155: 12,
	token721ToCoin: 16,
	token1155ToCoin: 20,
};

const offerType =
	"OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)";
const considerationType =
	"ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)";
const componentsType =
	"OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)";
const domainType =
	"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

const textHash = (text: string): Hex => keccak256(stringToHex(text));
const offerTypeHash = textHash(offerType);
const considerationTypeHash = textHash(considerationType);
// EIP-712 encodeType: the primary type, then the referenced ones in alphabetical order.
const orderTypeHash = textHash(componentsType + considerationType + offerType);
const CHAIN_ID = 31_337;
const separator = domainSeparator(CHAIN_ID);

/** The calls with which this world trades. */
export const seaportAbi = parseAbi([
	"struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }",
	"struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }",
	"struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }",
	"struct Order { OrderParameters parameters; bytes signature; }",
	"struct AdvancedOrder { OrderParameters parameters; uint120 numerator; uint120 denominator; bytes signature; bytes extraData; }",
	"struct CriteriaResolver { uint256 orderIndex; uint8 side; uint256 index; uint256 identifier; bytes32[] criteriaProof; }",
	"struct FulfillmentComponent { uint256 orderIndex; uint256 itemIndex; }",
	"struct Fulfillment { FulfillmentComponent[] offerComponents; FulfillmentComponent[] considerationComponents; }",
	"struct AdditionalRecipient { uint256 amount; address recipient; }",
	"struct BasicOrderParameters { address considerationToken; uint256 considerationIdentifier; uint256 considerationAmount; address offerer; address zone; address offerToken; uint256 offerIdentifier; uint256 offerAmount; uint8 basicOrderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 offererConduitKey; bytes32 fulfillerConduitKey; uint256 totalOriginalAdditionalRecipients; AdditionalRecipient[] additionalRecipients; bytes signature; }",
	"struct OrderComponents { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 counter; }",
	"function cancel(OrderComponents[] orders) returns (bool)",
	"function fulfillBasicOrder(BasicOrderParameters parameters) payable returns (bool)",
	"function fulfillBasicOrder_efficient_6GL6yc(BasicOrderParameters parameters) payable returns (bool)",
	"function fulfillOrder(Order order, bytes32 fulfillerConduitKey) payable returns (bool)",
	"function fulfillAdvancedOrder(AdvancedOrder advancedOrder, CriteriaResolver[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient) payable returns (bool)",
	"function fulfillAvailableOrders(Order[] orders, FulfillmentComponent[][] offerFulfillments, FulfillmentComponent[][] considerationFulfillments, bytes32 fulfillerConduitKey, uint256 maximumFulfilled) payable",
	"function matchOrders(Order[] orders, Fulfillment[] fulfillments) payable",
	"function matchAdvancedOrders(AdvancedOrder[] orders, CriteriaResolver[] criteriaResolvers, Fulfillment[] fulfillments, address recipient) payable",
]);

export function basicParameters({ parameters, signature }: SignedOrder): BasicParameters {
	const [offered] = parameters.offer;
	const [asked, ...others] = parameters.consideration;
	if (!offered || !asked) throw new Error("a basic order has an offer and a consideration");
	return {
		considerationToken: asked.token,
		considerationIdentifier: asked.identifierOrCriteria,
		considerationAmount: asked.startAmount,
		offerer: parameters.offerer,
		zone: parameters.zone,
		offerToken: offered.token,
		offerIdentifier: offered.identifierOrCriteria,
		offerAmount: offered.startAmount,
		basicOrderType: routeOf(offered.itemType, asked.itemType) + parameters.orderType,
		startTime: parameters.startTime,
		endTime: parameters.endTime,
		zoneHash: parameters.zoneHash,
		salt: parameters.salt,
		offererConduitKey: parameters.conduitKey,
		fulfillerConduitKey: conduitKey,
		totalOriginalAdditionalRecipients: BigInt(others.length),
		additionalRecipients: others.map((item) => ({
			amount: item.startAmount,
			recipient: item.recipient,
		})),
		signature,
	};
}

/**
 * Completes a draft as usual in this world (no zone, the OpenSea conduit) and signs it for the
 * offerer.
 */
export async function signOrder(offerer: Actor, draft: OrderDraft): Promise<SignedOrder> {
	const parameters = {
		offerer: offerer.address,
		zone: zeroAddress,
		offer: draft.offer,
		consideration: draft.consideration,
		orderType: draft.partial ? 1 : 0,
		startTime: BigInt(draft.nowS - 3_600),
		endTime: BigInt(draft.nowS + 7 * 86_400),
		zoneHash: zeroHash,
		salt: draft.salt,
		conduitKey,
		totalOriginalConsiderationItems: BigInt(draft.consideration.length),
	} as const;
	const hash = signingDigest(parameters);
	const signature: Hex = await sign({ hash, privateKey: offerer.privateKey, to: "hex" });
	return { parameters, signature };
}

/**
 * Returns the EIP-712 digest that an offerer signs.
 *
 * Written by hand instead of viem's `hashTypedData`: a first start signs some thousand orders, and
 * the generic encoder walks the type tree for each.
 */
export function signingDigest(
	order: HashedOrder,
	{ counter = 0n, chainId = CHAIN_ID }: { counter?: bigint; chainId?: number } = {},
): Hex {
	const domain = chainId === CHAIN_ID ? separator : domainSeparator(chainId);
	return keccak256(concatHex(["0x1901", domain, hashOrder(order, counter)]));
}

/**
 * Returns an order's hash as Seaport and the marketplaces define it: the struct without its domain.
 *
 * Shares nothing with the service's own hash, which tests compare with this one.
 */
export function hashOrder(order: HashedOrder, counter = 0n): Hex {
	return keccak256(
		concatHex([
			orderTypeHash,
			pad(order.offerer),
			pad(order.zone),
			keccak256(concatHex(["0x", ...order.offer.map(hashOffer)])),
			keccak256(concatHex(["0x", ...order.consideration.map(hashConsideration)])),
			word(BigInt(order.orderType)),
			word(order.startTime),
			word(order.endTime),
			order.zoneHash,
			word(order.salt),
			order.conduitKey,
			word(counter),
		]),
	);
}

/** Returns what binds a signature to Seaport 1.6 on a chain. */
export function domainSeparator(chainId: number): Hex {
	return keccak256(
		concatHex([
			textHash(domainType),
			textHash("Seaport"),
			textHash("1.6"),
			word(BigInt(chainId)),
			pad(addresses.seaport),
		]),
	);
}

function routeOf(offered: number, asked: number): number {
	if (offered === 1) return asked === 2 ? route.token721ToCoin : route.token1155ToCoin;
	if (asked === 0) return offered === 2 ? route.nativeTo721 : route.nativeTo1155;
	return offered === 2 ? route.coinTo721 : route.coinTo1155;
}

function hashOffer(item: HashedItem): Hex {
	return keccak256(concatHex([offerTypeHash, ...itemWords(item)]));
}

function itemWords(item: HashedItem): Hex[] {
	const { itemType, token, identifierOrCriteria, startAmount, endAmount } = item;
	return [
		word(BigInt(itemType)),
		pad(token),
		word(identifierOrCriteria),
		word(startAmount),
		word(endAmount),
	];
}

function word(value: bigint): Hex {
	return toHex(value, { size: 32 });
}

function hashConsideration(item: HashedItem & { recipient: Address }): Hex {
	return keccak256(concatHex([considerationTypeHash, ...itemWords(item), pad(item.recipient)]));
}
