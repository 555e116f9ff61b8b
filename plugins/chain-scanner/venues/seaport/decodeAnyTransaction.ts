// Reads the sales of any Seaport transaction: groups its orders, and turns trades into sales.

import { type Address, type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type {
	Sale,
	SaleRejection,
	UndecodedLog,
	VenueReading,
} from "#plugins/chain-scanner/contract.ts";
import {
	nftKey,
	type OrderSides,
	orderSides,
} from "#plugins/chain-scanner/venues/seaport/matchComponents.ts";
import type { Trade } from "#plugins/chain-scanner/venues/seaport/priceComponent.ts";
import {
	type Fulfilment,
	type OfferedItem,
	readOrderFulfilled,
	readOrdersMatched,
	seaportAddresses,
	seaportTopics,
} from "#plugins/chain-scanner/venues/seaport/readLogs.ts";
import {
	type MatchGroup,
	readMatch,
	readSingle,
} from "#plugins/chain-scanner/venues/seaport/readTrades.ts";

/** A log of one transaction, as far as it could be read; `broken` is an unreadable fulfilment. */
export type SeaportEntry =
	| { kind: "fulfilled"; emitter: Address; fulfilment: Fulfilment }
	| { kind: "broken"; emitter: Address }
	| { kind: "matched"; emitter: Address; logIndex: number; orderHashes: readonly Hex[] };

export type Grouping = {
	matches: MatchGroup[];
	singles: { emitter: Address; fulfilment: Fulfilment }[];
	undecoded: UndecodedLog[];
};

type Single = { emitter: Address; side: OrderSides; trades: readonly Trade[] };

/**
 * The reason why an order that only pays is no sale: it was matched with an order whose log is
 * missing.
 */
export const LONE_PAYER = "pays in a match, and the order that it was matched with is missing";

const EMITTERS: ReadonlySet<string> = new Set(seaportAddresses);

/** Reads the sales from one transaction's Seaport logs, also incomplete or broken ones. */
export function decodeAnyTransaction(logs: readonly RawLog[]): VenueReading {
	const reading: VenueReading = { sales: [], undecoded: [] };
	const grouping = groupFulfilments(readEntries(logs, reading));
	for (const problem of grouping.undecoded) reading.undecoded.push(problem);

	const trades: Trade[] = [];
	for (const group of grouping.matches) {
		const match = readMatch(group);
		for (const trade of match.trades) trades.push(trade);
		for (const problem of match.undecoded) reading.undecoded.push(problem);
	}
	const singles = grouping.singles.map(({ emitter, fulfilment }) => {
		const side = orderSides(fulfilment);
		return { emitter, side, trades: readSingle(side) };
	});
	for (const trade of withoutMirrors(singles)) trades.push(trade);
	if (trades.length === 0) {
		for (const { side } of singles) if (isLonePayer(side)) reading.undecoded.push(gapAt(side));
	}

	trades.sort((left, right) => left.logIndex - right.logIndex);
	const nextSubIndex = new Map<number, number>();
	for (const trade of trades) {
		const subIndex = nextSubIndex.get(trade.logIndex) ?? 0;
		nextSubIndex.set(trade.logIndex, subIndex + 1);
		reading.sales.push(toSale(trade, subIndex));
	}
	return reading;
}

/**
 * Groups fulfilments by match call.
 *
 * OrdersMatched follows its orders and takes the latest ones with its hashes, because an order
 * filled in parts may appear in several calls of one transaction. Version 1.1 has no such log;
 * there a match shows as a zero recipient, and is not complete where an order asks for what none
 * gives.
 */
export function groupFulfilments(entries: readonly SeaportEntry[]): Grouping {
	const grouping: Grouping = { matches: [], singles: [], undecoded: [] };
	const byEmitter = new Map<Address, SeaportEntry[]>();
	for (const entry of entries) {
		const list = byEmitter.get(entry.emitter);
		if (list) list.push(entry);
		else byEmitter.set(entry.emitter, [entry]);
	}
	for (const [emitter, list] of byEmitter) groupEmitter(grouping, emitter, list);
	return grouping;
}

/**
 * Says whether the orders of a match give everything that they ask for. Seaport settles no match
 * otherwise, so where something is missing, an order's log is. One order alone is no match.
 */
export function isEverythingMet(fulfilments: readonly Fulfilment[]): boolean {
	if (fulfilments.length < 2) return false;
	const left = new Map<string, bigint>();
	const add = (key: string, amount: bigint) => left.set(key, (left.get(key) ?? 0n) + amount);
	for (const side of fulfilments.map(orderSides)) {
		for (const item of side.givesNfts) add(nftKey(item), item.amount);
		for (const item of side.asksNfts) add(nftKey(item), -item.amount);
		for (const item of side.givesPayments) add(currencyKey(item), item.amount);
		for (const item of side.asksPayments) add(currencyKey(item), -item.amount);
	}
	return [...left.values()].every((amount) => amount >= 0n);
}

function readEntries(logs: readonly RawLog[], reading: VenueReading): SeaportEntry[] {
	const entries: SeaportEntry[] = [];
	for (const { log, logIndex } of inLogOrder(logs)) {
		const emitter: Address = `0x${log.address.slice(2).toLowerCase()}`;
		if (!EMITTERS.has(emitter)) continue;
		const topic = log.topics[0]?.toLowerCase();
		if (topic === seaportTopics.orderFulfilled) {
			const found = readOrderFulfilled(log);
			if (found.kind === "order") {
				entries.push({ kind: "fulfilled", emitter, fulfilment: { logIndex, order: found.order } });
			} else {
				entries.push({ kind: "broken", emitter });
				reading.undecoded.push({ logIndex, problem: found.problem });
			}
		} else if (topic === seaportTopics.ordersMatched) {
			const found = readOrdersMatched(log);
			if (found.kind === "matched") {
				entries.push({ kind: "matched", emitter, logIndex, orderHashes: found.orderHashes });
			} else {
				reading.undecoded.push({ logIndex, problem: found.problem });
			}
		}
	}
	return entries;
}

/**
 * Returns logs in log order: callers promise it; files written by hand do not keep it, and a match
 * depends on it.
 */
function inLogOrder(logs: readonly RawLog[]): { log: RawLog; logIndex: number }[] {
	const [only] = logs;
	if (only && logs.length === 1) return [{ log: only, logIndex: indexOf(only, 0) }];
	const placed = logs.map((log, position) => {
		return { log, logIndex: indexOf(log, position) };
	});
	return placed.sort((left, right) => left.logIndex - right.logIndex);
}

function indexOf(log: RawLog, position: number): number {
	const logIndex = Number(log.logIndex);
	return Number.isSafeInteger(logIndex) ? logIndex : position;
}

/**
 * Drops mirror orders without their OrdersMatched log, as in a hand-picked file.
 *
 * Such an order seems to trade with its own offerer while another order of the transaction has the
 * same NFT. In complete logs this can only drop a trade with oneself, which counts in no figure
 * anyway. One of a set of orders that all look so is kept.
 */
function withoutMirrors(singles: readonly Single[]): readonly Trade[] {
	// In nearly every transaction there is nothing to drop, and no NFT keys are needed.
	if (!singles.some(isSelfTrade)) return singles.flatMap(({ trades }) => trades);
	const carriers = new Map<string, number>();
	const keysOf = ({ emitter, side }: Single) =>
		new Set([...side.givesNfts, ...side.asksNfts].map((item) => `${emitter}:${nftKey(item)}`));
	for (const single of singles) {
		for (const key of keysOf(single)) carriers.set(key, (carriers.get(key) ?? 0) + 1);
	}
	return singles.flatMap((single) => {
		if (!isSelfTrade(single)) return single.trades;
		const keys = [...keysOf(single)];
		if (!keys.some((key) => (carriers.get(key) ?? 0) > 1)) return single.trades;
		for (const key of keys) carriers.set(key, (carriers.get(key) ?? 0) - 1);
		return [];
	});
}

function isSelfTrade({ trades }: Single): boolean {
	return trades.length > 0 && trades.every(({ seller, buyer }) => seller === buyer);
}

/**
 * Says whether an order is the mirror of a match called by the payer, without the rest of the
 * match.
 */
function isLonePayer({ order, givesNfts, givesPayments, asksNfts, asksPayments }: OrderSides) {
	const onlyPays = givesPayments.length > 0 && givesNfts.length + asksNfts.length === 0;
	return onlyPays && asksPayments.length === 0 && order.offerer === order.recipient;
}

function gapAt({ logIndex }: OrderSides): UndecodedLog {
	return { logIndex, problem: LONE_PAYER };
}

function toSale(trade: Trade, subIndex: number): Sale {
	const reason = rejectionOf(trade);
	return {
		logIndex: trade.logIndex,
		subIndex,
		contract: trade.item.token,
		standard: trade.item.itemType === 2 ? "erc721" : "erc1155",
		tokenId: trade.item.identifier,
		quantity: trade.quantity,
		totalRaw: trade.price.kind === "amount" ? trade.price.total : null,
		currency: trade.price.kind === "amount" ? trade.price.currency : null,
		seller: trade.seller,
		buyer: trade.buyer,
		...(trade.sellerUnproven && { sellerUnproven: true }),
		...(trade.price.kind === "amount" && trade.price.tips && { tips: trade.price.tips }),
		accepted: reason === null,
		reason,
	};
}

/** Returns why a trade is rejected: first an unknown price, then who traded, then for how much. */
function rejectionOf({ price, seller, buyer, payer }: Trade): SaleRejection | null {
	if (price.kind === "barter") return "swap";
	if (price.kind === "severalCurrencies") return "several_currencies";
	if (seller === buyer || seller === payer) return "self_trade";
	return price.total === 0n ? "zero_price" : null;
}

function groupEmitter(grouping: Grouping, emitter: Address, list: readonly SeaportEntry[]): void {
	const waiting = new Map<Hex, Fulfilment[]>();
	const open = new Set<Fulfilment>();
	let anyBroken = false;
	for (const entry of list) {
		if (entry.kind === "broken") {
			anyBroken = true;
		} else if (entry.kind === "fulfilled") {
			open.add(entry.fulfilment);
			const same = waiting.get(entry.fulfilment.order.orderHash);
			if (same) same.push(entry.fulfilment);
			else waiting.set(entry.fulfilment.order.orderHash, [entry.fulfilment]);
		} else {
			const group = takeGroup(waiting, entry.orderHashes);
			for (const fulfilment of group.fulfilments) open.delete(fulfilment);
			if (group.fulfilments.length > 0) grouping.matches.push(group);
			if (!group.complete) {
				grouping.undecoded.push({
					logIndex: entry.logIndex,
					problem: "matches an order whose fulfilment is missing or unreadable",
				});
			}
		}
	}
	const unnamed: Fulfilment[] = [];
	for (const fulfilment of open) {
		if (fulfilment.order.recipient === ZERO_ADDRESS) unnamed.push(fulfilment);
		else grouping.singles.push({ emitter, fulfilment });
	}
	if (unnamed.length === 0) return;
	const isMet = isEverythingMet(unnamed);
	if (!isMet && !anyBroken) grouping.undecoded.push(...lonePayers(unnamed));
	grouping.matches.push({ fulfilments: unnamed, complete: isMet && !anyBroken });
}

/** Takes from the end on both sides, so that a hash named twice takes the two latest. */
function takeGroup(waiting: Map<Hex, Fulfilment[]>, orderHashes: readonly Hex[]): MatchGroup {
	const fulfilments: Fulfilment[] = [];
	let complete = true;
	for (const orderHash of orderHashes) {
		// A zero hash stands for an order that the call skipped.
		if (/^0x0+$/.test(orderHash)) continue;
		const found = waiting.get(orderHash)?.pop();
		if (found) fulfilments.push(found);
		else complete = false;
	}
	fulfilments.sort((left, right) => left.logIndex - right.logIndex);
	return { fulfilments, complete };
}

/** Returns payments of a match without any order with an NFT: nothing else would report them. */
function lonePayers(fulfilments: readonly Fulfilment[]): UndecodedLog[] {
	const sides = fulfilments.map(orderSides);
	if (sides.some(({ givesNfts, asksNfts }) => givesNfts.length + asksNfts.length > 0)) return [];
	return sides.map(({ logIndex }) => ({ logIndex, problem: LONE_PAYER }));
}

function currencyKey({ itemType, token }: OfferedItem): string {
	return itemType === 0 ? "native" : token;
}
