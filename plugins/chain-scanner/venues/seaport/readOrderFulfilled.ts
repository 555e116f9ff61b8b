import { arrayAt } from "#core/chain/abi/arrayAt.ts";
import { hexBytes } from "#core/chain/abi/hexBytes.ts";
import { readAddressWord } from "#core/chain/abi/readAddressWord.ts";
import { readSmallUint } from "#core/chain/abi/readSmallUint.ts";
import { readUint } from "#core/chain/abi/readUint.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type {
	FulfilledOrder,
	OfferedItem,
	ReceivedItem,
	SeaportItemType,
} from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";

/** `orderHash` is kept where possible: a match must know that one of its orders is unreadable. */
export type OrderFulfilledReading =
	| { kind: "order"; order: FulfilledOrder }
	| { kind: "undecoded"; problem: string; orderHash: Hex | null };

const WORD_BYTES = 32;
const HEAD_BYTES = 4 * WORD_BYTES;
const OFFERED_ITEM_BYTES = 4 * WORD_BYTES;
const RECEIVED_ITEM_BYTES = 5 * WORD_BYTES;

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

function undecoded(problem: string, orderHash: Hex | null): OrderFulfilledReading {
	return { kind: "undecoded", problem, orderHash };
}

const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/i;

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
