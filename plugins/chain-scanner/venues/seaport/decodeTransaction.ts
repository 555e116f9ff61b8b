import { arrayAt, hexBytes, readAddressWord, readUint } from "#core/chain/abi.ts";
import { type Address, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Sale, UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import type { MatchGroup } from "#plugins/chain-scanner/venues/seaport/decodeAnyTransaction.ts";
import {
	matchComponents,
	type OrderSides,
	orderSides,
	type Pairing,
	pairNfts,
} from "#plugins/chain-scanner/venues/seaport/matchComponents.ts";
import {
	type Price,
	priceComponent,
	splitPrice,
	sumPayments,
	type Trade,
} from "#plugins/chain-scanner/venues/seaport/priceComponent.ts";
import {
	type MatchedNft,
	type OfferedItem,
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
/** Above every type. */
const NO_TYPE = Number.POSITIVE_INFINITY;
/** In lower case, as nodes write it; any other takes the general reader. */
const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/;

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

/**
 * Reads the orders that one match call settled against each other.
 *
 * Each NFT is counted once, from the order that gives it to the account that receives it. The
 * caller of the match is a party only where an NFT is left over and goes to it.
 */
export function readMatch(group: MatchGroup): { trades: Trade[]; undecoded: UndecodedLog[] } {
	const sides = group.fulfilments.map(orderSides);
	const pairing = pairNfts(sides);
	const moved: MatchedNft[] = pairing.pairs.map(({ supply, demand, quantity }) => ({
		giver: supply.side,
		taker: demand.side,
		item: supply.item,
		quantity,
		buyer: demand.item.recipient,
		supplyRank: supply.rank,
		demandRank: demand.rank,
	}));
	const undecoded: UndecodedLog[] = [];
	if (group.complete) {
		for (const nft of leftOver(sides, pairing)) moved.push(nft);
	} else {
		for (const { side } of [...pairing.unasked, ...pairing.unmet]) {
			if (undecoded.at(-1)?.logIndex === side.logIndex) continue;
			undecoded.push({
				logIndex: side.logIndex,
				problem: "trades an NFT with an order that is missing from its match",
			});
		}
	}
	moved.sort(
		(left, right) => left.supplyRank - right.supplyRank || left.demandRank - right.demandRank,
	);

	const buyers = new Map<OrderSides, Set<Address>>();
	for (const { giver, buyer } of moved) {
		const known = buyers.get(giver);
		if (known) known.add(buyer);
		else buyers.set(giver, new Set([buyer]));
	}
	const components = matchComponents(sides, (side) => buyers.get(side) ?? []);
	const byGiver = Map.groupBy(moved, (nft) => nft.giver);
	const unmet = Map.groupBy(pairing.unmet, (demand) => demand.side);
	const trades = components.flatMap((component) =>
		priceComponent({
			component: group.complete ? component : { ...component, allKnown: false },
			moved: component.orders.flatMap((side) => byGiver.get(side) ?? []),
			unmet,
		}),
	);
	return { trades, undecoded };
}

/** Reads an order that a taker filled by itself: the taker gives whatever the order asks for. */
export function readSingle(side: OrderSides): Trade[] {
	if (side.givesNfts.length > 0) return readTakenListing(side);
	if (side.asksNfts.length > 0) return readAcceptedOffer(side);
	return [];
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
		if (itemType > ERC20 || !isAddress(bytes, at + OFFERED_ITEM_BYTES)) return null;
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

function isAddress(bytes: Buffer, at: number): boolean {
	return isZero(bytes, at, at + PADDING_BYTES);
}

/**
 * Follows NFTs that an order gave and no order asked for.
 *
 * From 1.2 on they go to the match's recipient. If that is the seller they have only returned:
 * beside a real sale of the same order they are no trade, alone they are one with oneself. In 1.1
 * they stay where they are; only a sole payment-only order can then be their buyer.
 */
function leftOver(sides: readonly OrderSides[], pairing: Pairing): MatchedNft[] {
	const sold = new Set(pairing.pairs.map((pair) => pair.supply.side));
	const payers = sides.filter(
		(side) => side.givesPayments.length > 0 && side.givesNfts.length + side.asksNfts.length === 0,
	);
	const solePayer = payers.length === 1 ? payers[0]?.order.offerer : undefined;
	const found: MatchedNft[] = [];
	for (const { side, item, left, rank } of pairing.unasked) {
		const { offerer, recipient } = side.order;
		const buyer = recipient === ZERO_ADDRESS ? solePayer : recipient;
		const cameHome = recipient === ZERO_ADDRESS || recipient === offerer;
		if (buyer === undefined || (cameHome && sold.has(side))) continue;
		found.push({
			giver: side,
			taker: null,
			item,
			quantity: left,
			buyer,
			supplyRank: rank,
			demandRank: rank,
		});
	}
	return found;
}

function readTakenListing(side: OrderSides): Trade[] {
	const { offerer, recipient } = side.order;
	const [only] = side.givesNfts;
	if (only && side.givesNfts.length === 1 && side.asksNfts.length === 0) {
		// Nearly every listing: with one NFT and no NFT asked for there is nothing to pair.
		const isBarter = side.givesPayments.length > 0;
		const price: Price = isBarter ? { kind: "barter" } : sumPayments(side.asksPayments);
		const { logIndex } = side;
		const quantity = only.amount;
		return [
			{ logIndex, item: only, quantity, seller: offerer, buyer: recipient, payer: null, price },
		];
	}
	const pairing = pairNfts([side]);
	// An NFT both given and asked for is a private listing: it goes to the account that the order
	// names.
	const rows: { item: OfferedItem; quantity: bigint; buyer: Address; rank: number }[] = [
		...pairing.pairs.map(({ supply, demand, quantity }) => ({
			item: supply.item,
			quantity,
			buyer: demand.item.recipient,
			rank: supply.rank,
		})),
		...pairing.unasked.map((supply) => ({
			item: supply.item,
			quantity: supply.left,
			buyer: recipient,
			rank: supply.rank,
		})),
	].sort((left, right) => left.rank - right.rank);
	// An NFT asked for and not given is a payment in kind; an added payment hides the price as well.
	const isBarter = pairing.unmet.length > 0 || side.givesPayments.length > 0;
	const price: Price = isBarter ? { kind: "barter" } : sumPayments(side.asksPayments);
	const shares = splitPrice(
		price,
		rows.map((row) => row.quantity),
	);
	return rows.map(({ item, quantity, buyer }, index) => ({
		logIndex: side.logIndex,
		item,
		quantity,
		seller: offerer,
		buyer,
		payer: null,
		price: shares[index] ?? price,
	}));
}

function readAcceptedOffer(side: OrderSides): Trade[] {
	const { offerer, recipient } = side.order;
	// Besides the NFT an offer asks for fees, paid out of the price: they are in it already.
	const price = sumPayments(side.givesPayments);
	const shares = splitPrice(
		price,
		side.asksNfts.map((item) => item.amount),
	);
	return side.asksNfts.map((item, index) => ({
		logIndex: side.logIndex,
		item,
		quantity: item.amount,
		seller: recipient,
		sellerUnproven: true,
		buyer: item.recipient,
		payer: offerer,
		price: shares[index] ?? price,
	}));
}
