import { concatHex, type Hex, keccak256, pad, stringToHex, toHex } from "viem";
import { addresses } from "../addresses.ts";
import type { ConsiderationItem, OfferItem, OrderParameters } from "./Order.ts";

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
const domainSeparator = keccak256(
	concatHex([
		textHash(domainType),
		textHash("Seaport"),
		textHash("1.6"),
		word(31_337n),
		pad(addresses.seaport),
	]),
);

/**
 * Returns the EIP-712 digest that an offerer signs.
 *
 * Written by hand instead of viem's `hashTypedData`: a first start signs some thousand orders, and
 * the generic encoder walks the type tree for each.
 */
export function hashOrder(order: OrderParameters): Hex {
	return keccak256(concatHex(["0x1901", domainSeparator, hashComponents(order)]));
}

/**
 * Returns an order's hash as Seaport and the marketplaces define it: the struct without its domain.
 */
export function hashComponents(order: OrderParameters): Hex {
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
			word(0n),
		]),
	);
}

function hashOffer(item: OfferItem): Hex {
	return keccak256(concatHex([offerTypeHash, ...itemWords(item)]));
}

function hashConsideration(item: ConsiderationItem): Hex {
	return keccak256(concatHex([considerationTypeHash, ...itemWords(item), pad(item.recipient)]));
}

function itemWords(item: OfferItem): Hex[] {
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
