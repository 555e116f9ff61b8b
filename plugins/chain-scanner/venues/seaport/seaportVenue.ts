// Decodes Seaport's sales; ordinary listings straight from their bytes, which is faster.

import { arrayAt, hexBytes, readAddressWord, readUint } from "#core/chain/abi.ts";
import { type Address, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Sale, Venue, VenueReading } from "#plugins/chain-scanner/contract.ts";
import { decodeAnyTransaction } from "#plugins/chain-scanner/venues/seaport/decodeAnyTransaction.ts";
import {
	seaportAdapters,
	seaportAddresses,
	seaportTopics,
} from "#plugins/chain-scanner/venues/seaport/readLogs.ts";

type Nft = {
	token: Address;
	standard: Sale["standard"];
	tokenId: bigint;
	quantity: bigint;
};

const EMITTERS: ReadonlySet<string> = new Set(seaportAddresses);

const WORD_BYTES = 32;
const PADDING_BYTES = 12;
const HEAD_BYTES = 4 * WORD_BYTES;
const OFFERED_ITEM_BYTES = 4 * WORD_BYTES;
const RECEIVED_ITEM_BYTES = 5 * WORD_BYTES;
const ERC20 = 1;
const ERC721 = 2;
const ERC1155 = 3;
/** A value above every item type. */
const NO_TYPE = Number.POSITIVE_INFINITY;
/** In lower case, as nodes write it; any other takes the general reader. */
const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/;

/** Seaport 1.1 to 1.6, at all addresses that are known of any chain. */
export const seaportVenue: Venue = {
	id: "seaport",
	contracts: seaportAddresses,
	topics: [seaportTopics.orderFulfilled, seaportTopics.ordersMatched],
	adapters: seaportAdapters,
	decode: decodeSeaportTransaction,
};

/**
 * Reads the sales from one transaction's Seaport logs.
 *
 * Logs of other contracts and other topics are skipped, so a whole receipt may be given.
 */
export function decodeSeaportTransaction(logs: readonly RawLog[]): VenueReading {
	const sales = readListings(logs);
	return sales ? { sales, undecoded: [] } : decodeAnyTransaction(logs);
}

/**
 * Returns the sales of a transaction that only took ordinary listings: each one NFT for one
 * currency, from one account to another. Null for every other transaction.
 *
 * Nearly all are such, and nothing has to be paired, split or guessed for them: straight from the
 * bytes they take a third of the time. `decodeAnyTransaction` gives the same for them; tests
 * compare the two.
 */
export function readListings(logs: readonly RawLog[]): Sale[] | null {
	const sales: Sale[] = [];
	let before = -1;
	for (const log of logs) {
		const logIndex = Number(log.logIndex);
		if (!Number.isSafeInteger(logIndex) || logIndex <= before) return null;
		before = logIndex;
		const sale = readListing(log, logIndex);
		if (!sale) return null;
		sales.push(sale);
	}
	return sales;
}

function readListing({ address, topics, data }: RawLog, logIndex: number): Sale | null {
	const [event, offerer = "", zone = ""] = topics;
	if (event !== seaportTopics.orderFulfilled || topics.length !== 3) return null;
	if (!EMITTERS.has(address)) return null;
	if (!ADDRESS_TOPIC.test(offerer) || !ADDRESS_TOPIC.test(zone)) return null;
	const bytes = hexBytes(data);
	if (bytes === null || bytes.length < HEAD_BYTES) return null;
	const seller: Address = `0x${offerer.slice(2 + 2 * PADDING_BYTES)}`;
	const buyer = readAddressWord(bytes, WORD_BYTES);
	// Zero marks a match of 1.1; a trade with oneself may be the mirror of another order.
	if (buyer === null || buyer === ZERO_ADDRESS || buyer === seller) return null;
	const nft = readOnlyNft(bytes);
	if (!nft) return null;
	const price = readPrice(bytes);
	if (!price) return null;
	const isFree = price.total === 0n;
	return {
		logIndex,
		subIndex: 0,
		contract: nft.token,
		standard: nft.standard,
		tokenId: nft.tokenId,
		quantity: nft.quantity,
		totalRaw: price.total,
		currency: price.currency,
		seller,
		buyer,
		accepted: !isFree,
		reason: isFree ? "zero_price" : null,
	};
}

/** Returns what the order offers, where that is one NFT. */
function readOnlyNft(bytes: Buffer): Nft | null {
	const offer = arrayAt({ data: bytes, head: 2, itemBytes: OFFERED_ITEM_BYTES });
	if (offer === null || offer.count !== 1) return null;
	const at = offer.firstByte;
	const itemType = readItemType(bytes, at);
	if (itemType !== ERC721 && itemType !== ERC1155) return null;
	const token = readAddressWord(bytes, at + WORD_BYTES);
	if (token === null) return null;
	const tokenId = readUint(bytes, at + 2 * WORD_BYTES);
	const quantity = readUint(bytes, at + 3 * WORD_BYTES);
	if (quantity === 0n || (itemType === ERC721 && quantity !== 1n)) return null;
	return { token, standard: itemType === ERC721 ? "erc721" : "erc1155", tokenId, quantity };
}

function readItemType(bytes: Buffer, at: number): number {
	const last = at + WORD_BYTES - 1;
	return isZero(bytes, at, last) ? (bytes[last] ?? NO_TYPE) : NO_TYPE;
}

function isZero(bytes: Buffer, from: number, end: number): boolean {
	for (let at = from; at < end; at++) if (bytes[at] !== 0) return false;
	return true;
}

/** Returns what the order asks for, where that is payments in one currency. */
function readPrice(bytes: Buffer): { currency: Address; total: bigint } | null {
	const asked = arrayAt({ data: bytes, head: 3, itemBytes: RECEIVED_ITEM_BYTES });
	if (asked === null) return null;
	let currency: Address | null = null;
	let total = 0n;
	for (let index = 0; index < asked.count; index++) {
		const at = asked.firstByte + index * RECEIVED_ITEM_BYTES;
		const itemType = readItemType(bytes, at);
		if (itemType > ERC20 || !isAddressWord(bytes, at + OFFERED_ITEM_BYTES)) return null;
		const token = readAddressWord(bytes, at + WORD_BYTES);
		if (token === null || (itemType === ERC20 && token === ZERO_ADDRESS)) return null;
		const amount = readUint(bytes, at + 3 * WORD_BYTES);
		// An item that moved nothing does not decide the currency either.
		if (amount === 0n) continue;
		const paid = itemType === ERC20 ? token : ZERO_ADDRESS;
		if (currency !== null && currency !== paid) return null;
		currency = paid;
		total += amount;
	}
	return { currency: currency ?? ZERO_ADDRESS, total };
}

function isAddressWord(bytes: Buffer, at: number): boolean {
	return isZero(bytes, at, at + PADDING_BYTES);
}
