import type { Address } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type {
	Sale,
	SaleRejection,
	UndecodedLog,
	VenueReading,
} from "#plugins/chain-scanner/contract.ts";
import {
	groupFulfilments,
	type SeaportEntry,
} from "#plugins/chain-scanner/venues/seaport/groupFulfilments.ts";
import { LONE_PAYER } from "#plugins/chain-scanner/venues/seaport/lonePayer.ts";
import { nftKey } from "#plugins/chain-scanner/venues/seaport/nftKey.ts";
import { type OrderSides, orderSides } from "#plugins/chain-scanner/venues/seaport/orderSides.ts";
import { readMatch } from "#plugins/chain-scanner/venues/seaport/readMatch.ts";
import { readOrderFulfilled } from "#plugins/chain-scanner/venues/seaport/readOrderFulfilled.ts";
import { readOrdersMatched } from "#plugins/chain-scanner/venues/seaport/readOrdersMatched.ts";
import { readSingle } from "#plugins/chain-scanner/venues/seaport/readSingle.ts";
import { seaportAddresses } from "#plugins/chain-scanner/venues/seaport/seaportAddresses.ts";
import { seaportTopics } from "#plugins/chain-scanner/venues/seaport/seaportTopics.ts";
import type { Trade } from "#plugins/chain-scanner/venues/seaport/Trade.ts";

const EMITTERS: ReadonlySet<string> = new Set(seaportAddresses);

/** Reads the sales from one transaction's Seaport logs, whatever they contain. */
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

type Single = { emitter: Address; side: OrderSides; trades: readonly Trade[] };

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
