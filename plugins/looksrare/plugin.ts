// Contributes LooksRare as a venue: reads its two logs by their words, and turns them into sales.

import { z } from "zod";
import { arrayAt, hexBytes, readAddressWord, readUint } from "#core/chain/abi.ts";
import type { Address, Hex, RawLog } from "#core/chain/Hex.ts";
import { splitByUnit } from "#core/money.ts";
import { contribute, definePlugin } from "#core/plugin/Plugin.ts";
import {
	type Sale,
	type SaleRejection,
	type Venue,
	VenuePoint,
	type VenueReading,
} from "#plugins/chain-scanner/contract.ts";

/** Holds one TakerBid or TakerAsk, which differ only in the roles of two people. */
export type TakerEvent = {
	/** `listingBought` is a TakerBid, `offerAccepted` a TakerAsk. */
	kind: "listingBought" | "offerAccepted";
	/** Names the caller: `bidUser` of a TakerBid, who pays, or `askUser` of a TakerAsk, who sells. */
	taker: Address;
	/** Names who gets the NFTs: `bidRecipient` of a TakerBid, `bidUser` of a TakerAsk. */
	recipient: Address;
	/** Names the account that gets the proceeds; for a TakerBid always the one that listed. */
	payee: Address;
	/** Names the currency; the zero address is the native one. */
	currency: Address;
	collection: Address;
	itemIds: readonly bigint[];
	/** Counts the units of each of `itemIds`, at least 1. */
	amounts: readonly bigint[];
	/** The price that the payer paid: proceeds, creator's fee and protocol's fee. */
	price: bigint;
};

export type TakerEventReading =
	| { kind: "event"; event: TakerEvent }
	| { kind: "undecoded"; problem: string };

/** First topics of the two logs that sales are made of. Neither event has an indexed argument. */
export const looksRareTopics: { takerBid: Hex; takerAsk: Hex } = {
	/** TakerBid: a listing was bought. */
	takerBid: "0x3ee3de4684413690dee6fff1a0a4f92916a1b97d1c5a83cdf24671844306b2e3",
	/** TakerAsk: an offer was accepted. */
	takerAsk: "0x9aaa45d6db2ef74ead0751ea9113263d1dec1b50cea05f0ca2002cb8063564a4",
};

const UINT256_MAX = 2n ** 256n - 1n;
const WORD_BYTES = 32;

/** Byte offsets of the words. The leading struct and both short arrays lie in the head itself. */
const AT = {
	taker: 3 * WORD_BYTES,
	recipient: 4 * WORD_BYTES,
	currency: 6 * WORD_BYTES,
	collection: 7 * WORD_BYTES,
	itemIds: 8 * WORD_BYTES,
	amounts: 9 * WORD_BYTES,
	payee: 10 * WORD_BYTES,
	proceeds: 12 * WORD_BYTES,
	creatorFee: 13 * WORD_BYTES,
	protocolFee: 14 * WORD_BYTES,
};
const HEAD_BYTES = 15 * WORD_BYTES;

/**
 * The exchange of LooksRare v2, which exists on Ethereum alone.
 *
 * Its address follows (CREATE2) from its code, its owner and mainnet's WETH, so a contract at this
 * address on any other chain would be the same exchange of the same owner.
 */
export const looksRareVenue: Venue = {
	id: "looksrare",
	contracts: ["0x0000000000e655fae4d56241588680f86e3b2377"],
	topics: [looksRareTopics.takerBid, looksRareTopics.takerAsk],
	decode: decodeLooksRare,
};

/** Reads the sales of LooksRare v2. It only contributes a venue, as any third party can. */
export const looksRarePlugin = definePlugin({
	name: "looksrare",
	version: "1",
	config: z.object({}),
	needs: {},
	contributes: [contribute(VenuePoint, looksRareVenue)],
	setup: () => ({}),
});

/** Reads the sales from LooksRare's logs, each log by itself. */
export function decodeLooksRare(logs: readonly RawLog[]): VenueReading {
	const reading: VenueReading = { sales: [], undecoded: [] };
	for (const log of logs) {
		const logIndex = Number(log.logIndex);
		const read = readTakerEvent(log);
		if (read.kind === "undecoded") reading.undecoded.push({ logIndex, problem: read.problem });
		// One by one: a log may name more items than a call takes arguments.
		else for (const sale of salesOf(read.event, logIndex)) reading.sales.push(sale);
	}
	return reading;
}

/**
 * Reads one log by its words, and names what it cannot read.
 *
 * What the contract cannot have written (no item, an amount of 0, lists of two lengths) is named
 * like data that does not fit: a wrong sale is worse than a named gap. Nothing is thrown.
 */
export function readTakerEvent(log: Pick<RawLog, "topics" | "data">): TakerEventReading {
	const kind = kindOf(log.topics);
	if (kind === null) return undecoded("neither TakerBid nor TakerAsk");
	const data = hexBytes(log.data);
	if (data === null) return undecoded("data is not hex");
	if (data.length < HEAD_BYTES) return undecoded("data ends inside its head");

	const taker = readAddressWord(data, AT.taker);
	const recipient = readAddressWord(data, AT.recipient);
	const payee = readAddressWord(data, AT.payee);
	if (taker === null || recipient === null || payee === null) {
		return undecoded("a party is no address");
	}
	const currency = readAddressWord(data, AT.currency);
	if (currency === null) return undecoded("the currency is no address");
	const collection = readAddressWord(data, AT.collection);
	if (collection === null) return undecoded("the collection is no address");

	const itemIds = uintsThrough(data, AT.itemIds);
	const amounts = uintsThrough(data, AT.amounts);
	if (itemIds === null) return undecoded("item ids lie outside the data");
	if (amounts === null) return undecoded("amounts lie outside the data");
	if (itemIds.length === 0) return undecoded("no item");
	if (itemIds.length !== amounts.length) return undecoded("not one amount for each item");
	if (amounts.includes(0n)) return undecoded("an amount of 0");

	const price = priceOf(data);
	if (price > UINT256_MAX) return undecoded("a price beyond 256 bits");
	const parties = { taker, recipient, payee };
	const event = { kind, ...parties, currency, collection, itemIds, amounts, price };
	return { kind: "event", event };
}

function salesOf(event: TakerEvent, logIndex: number): Sale[] {
	const { amounts, itemIds, payee, price, recipient, taker } = event;
	const isListing = event.kind === "listingBought";
	const seller = isListing ? payee : taker;
	const payer = isListing ? taker : recipient;
	const paysItself = payer === payee;
	const isSelf = paysItself || seller === recipient;
	// The log names no standard. More than one of an item is refused by the exchange for an ERC-721.
	const standard = amounts.some((amount) => amount > 1n) ? "erc1155" : "erc721";
	const shares = splitByUnit(price, amounts);
	return itemIds.map((tokenId, subIndex) => {
		const totalRaw = shares[subIndex] ?? 0n;
		const reason: SaleRejection | null = isSelf
			? "self_trade"
			: totalRaw === 0n
				? "zero_price"
				: null;
		return {
			logIndex,
			subIndex,
			contract: event.collection,
			standard,
			tokenId,
			quantity: amounts[subIndex] ?? 0n,
			totalRaw,
			currency: event.currency,
			seller,
			buyer: recipient,
			// An aggregator that accepts an offer took the NFT from somebody a moment before. Who is
			// paid by itself stays what it is, whoever gave the NFT.
			...(isListing || paysItself ? {} : { sellerUnproven: true }),
			accepted: reason === null,
			reason,
		};
	});
}

function kindOf(topics: RawLog["topics"]): TakerEvent["kind"] | null {
	if (topics.length !== 1) return null;
	if (topics[0] === looksRareTopics.takerBid) return "listingBought";
	return topics[0] === looksRareTopics.takerAsk ? "offerAccepted" : null;
}

function undecoded(problem: string): TakerEventReading {
	return { kind: "undecoded", problem };
}

/** Returns the ABI array whose offset is at `headByte`; null where it ends beyond the data. */
function uintsThrough(data: Buffer, headByte: number): bigint[] | null {
	const list = arrayAt({ data, head: headByte / WORD_BYTES, itemBytes: WORD_BYTES });
	if (list === null) return null;
	const { firstByte, count } = list;
	return Array.from({ length: count }, (_, at) => readUint(data, firstByte + at * WORD_BYTES));
}

/** Returns the price: the contract takes the fees out of it, so their sum is exact. */
function priceOf(data: Buffer): bigint {
	const parts = [AT.proceeds, AT.creatorFee, AT.protocolFee];
	return parts.reduce((sum, at) => sum + readUint(data, at), 0n);
}
