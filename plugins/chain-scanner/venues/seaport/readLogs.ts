// Reads Seaport's two logs by their words; lists its addresses and topics.

import { arrayAt, hexBytes, readAddressWord, readSmallUint, readUint } from "#core/chain/abi.ts";
import { seaports } from "#core/chain/builtinChains.ts";
import { type Address, type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { TokenAdapter } from "#plugins/chain-scanner/contract.ts";

/** 0 native, 1 ERC-20, 2 ERC-721, 3 ERC-1155. Criteria (4, 5) are resolved before the log. */
export type SeaportItemType = 0 | 1 | 2 | 3;

export type OfferedItem = {
	itemType: SeaportItemType;
	token: Address;
	identifier: bigint;
	amount: bigint;
};

export type ReceivedItem = OfferedItem & { recipient: Address };

/** The content of one OrderFulfilled log, without any conclusion. */
export type FulfilledOrder = {
	orderHash: Hex;
	offerer: Address;
	zone: Address;
	/** The taker; the caller of a match from 1.2 on; the zero address in a match of 1.1. */
	recipient: Address;
	offer: readonly OfferedItem[];
	consideration: readonly ReceivedItem[];
};

/** A fulfilled order with its log. */
export type Fulfilment = { logIndex: number; order: FulfilledOrder };

/** `orderHash` is kept where possible: a match must know that one of its orders is unreadable. */
export type OrderFulfilledReading =
	| { kind: "order"; order: FulfilledOrder }
	| { kind: "undecoded"; problem: string; orderHash: Hex | null };

export type OrdersMatchedReading =
	| { kind: "matched"; orderHashes: Hex[] }
	| { kind: "undecoded"; problem: string };

const WORD_BYTES = 32;
const HEAD_BYTES = 4 * WORD_BYTES;
const OFFERED_ITEM_BYTES = 4 * WORD_BYTES;
const RECEIVED_ITEM_BYTES = 5 * WORD_BYTES;

const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/i;

/**
 * Contracts that Seaport's items name in place of the token that they move.
 *
 * OpenSea's shared storefront is older than Seaport and cannot be moved by it, so
 * orders name an adapter: 9 of 514 real sales did.
 */
export const seaportAdapters: readonly TokenAdapter[] = [
	{
		adapter: "0xa604060890923ff400e8c6f5290461a83aedacec",
		token: "0x495f947276749ce646f68ac8c248420045cb7b5e",
	},
	// Polygon's storefront has the same adapter (@opensea/sdk 12.9.1, src/constants.ts).
	{
		adapter: "0xa604060890923ff400e8c6f5290461a83aedacec",
		token: "0x2953399124f0cbb46d2cbacd8a89cf0599974963",
	},
];

/**
 * The addresses of Seaport on all chains, the newest canonical one last.
 *
 * Forks emit the same topics with terms of their own, so nothing outside this list is Seaport.
 */
export const seaportAddresses: readonly Address[] = seaports.map(({ address }) => address);

/** First topics of the two logs that sales are made from; the same in all versions. */
export const seaportTopics: { orderFulfilled: Hex; ordersMatched: Hex } = {
	/**
	 * OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])
	 */
	orderFulfilled: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
	/** OrdersMatched(bytes32[]), sent from 1.2 on. */
	ordersMatched: "0x4b9f2d36e1b4c93de62cc077b00b1a91d84b6c31b4a14e012718dcca230689e7",
};

/**
 * Reads one OrderFulfilled log by slicing words from its bytes.
 *
 * No ABI decoder: this is the hot path, and a decoder that trusts lengths can be made to hang.
 * Anything invalid is named in `problem`; nothing is thrown.
 */
export function readOrderFulfilled(log: Pick<RawLog, "topics" | "data">): OrderFulfilledReading {
	const { topics } = log;
	const data = hexBytes(log.data);
	if (data === null) return undecoded("data is not hex", null);
	if (data.length < HEAD_BYTES) return undecoded("data ends inside its head", null);
	const orderHash: Hex = `0x${data.toString("hex", 0, WORD_BYTES)}`;

	const [, offererTopic, zoneTopic] = topics;
	const offerer = offererTopic === undefined ? null : readTopicAddress(offererTopic);
	const zone = zoneTopic === undefined ? null : readTopicAddress(zoneTopic);
	if (topics.length !== 3 || offerer === null || zone === null) {
		return undecoded("offerer or zone topic is missing or no address", orderHash);
	}
	const recipient = readAddressWord(data, WORD_BYTES);
	if (recipient === null) return undecoded("recipient is no address", orderHash);

	const offerAt = arrayAt({ data, head: 2, itemBytes: OFFERED_ITEM_BYTES });
	if (offerAt === null) return undecoded("offer lies outside the data", orderHash);
	const considerationAt = arrayAt({ data, head: 3, itemBytes: RECEIVED_ITEM_BYTES });
	if (considerationAt === null) {
		return undecoded("consideration lies outside the data", orderHash);
	}

	const offer: OfferedItem[] = [];
	for (let index = 0; index < offerAt.count; index++) {
		const item = readItem(data, offerAt.firstByte + index * OFFERED_ITEM_BYTES);
		if (typeof item === "string") return undecoded(`offer ${index}: ${item}`, orderHash);
		offer.push(item);
	}
	const consideration: ReceivedItem[] = [];
	for (let index = 0; index < considerationAt.count; index++) {
		const itemByte = considerationAt.firstByte + index * RECEIVED_ITEM_BYTES;
		const item = readItem(data, itemByte);
		if (typeof item === "string") return undecoded(`consideration ${index}: ${item}`, orderHash);
		const to = readAddressWord(data, itemByte + OFFERED_ITEM_BYTES);
		if (to === null) {
			return undecoded(`consideration ${index}: recipient is no address`, orderHash);
		}
		const { itemType, token, identifier, amount } = item;
		consideration.push({ itemType, token, identifier, amount, recipient: to });
	}
	return { kind: "order", order: { orderHash, offerer, zone, recipient, offer, consideration } };
}

/** Reads which orders one match call settled together, in the order of the call. */
export function readOrdersMatched(log: Pick<RawLog, "data">): OrdersMatchedReading {
	const bytes = hexBytes(log.data);
	if (bytes === null) return { kind: "undecoded", problem: "data is not hex" };
	const offset = readSmallUint(bytes, 0);
	const count = offset === null ? null : readSmallUint(bytes, offset);
	if (offset === null || count === null) {
		return { kind: "undecoded", problem: "order hashes lie outside the data" };
	}
	const firstByte = offset + WORD_BYTES;
	if (count > (bytes.length - firstByte) / WORD_BYTES) {
		return { kind: "undecoded", problem: "order hashes lie outside the data" };
	}
	const orderHashes: Hex[] = [];
	for (let index = 0; index < count; index++) {
		const start = firstByte + index * WORD_BYTES;
		orderHashes.push(`0x${bytes.toString("hex", start, start + WORD_BYTES)}`);
	}
	return { kind: "matched", orderHashes };
}

function undecoded(problem: string, orderHash: Hex | null): OrderFulfilledReading {
	return { kind: "undecoded", problem, orderHash };
}

function readTopicAddress(topic: Hex): Address | null {
	return ADDRESS_TOPIC.test(topic) ? `0x${topic.slice(26).toLowerCase()}` : null;
}

/** Reads an item that the caller has checked to be within the data; a text is the problem found. */
function readItem(data: Buffer, byteOffset: number): OfferedItem | string {
	const itemType = itemTypeOf(readSmallUint(data, byteOffset));
	if (itemType === null) return "unknown item type";
	const token = readAddressWord(data, byteOffset + WORD_BYTES);
	if (token === null) return "token is no address";
	const identifier = readUint(data, byteOffset + 2 * WORD_BYTES);
	const amount = readUint(data, byteOffset + 3 * WORD_BYTES);
	// Seaport refuses both, so such a log is no sale, and the zero token would pass as native.
	if (itemType === 2 && amount > 1n) return "more than one of an ERC-721";
	if (itemType === 1 && token === ZERO_ADDRESS && amount > 0n) return "an ERC-20 without a token";
	return { itemType, token, identifier, amount };
}

function itemTypeOf(value: number | null): SeaportItemType | null {
	return value === 0 || value === 1 || value === 2 || value === 3 ? value : null;
}
