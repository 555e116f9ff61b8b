// Applies a block to the market, and returns the changes.

import { type Address, type Hex, zeroAddress } from "viem";
import { type ChainBlock, type ChainLog, type ChainSale, salesOf } from "../chain/readBlocks.ts";
import {
	type BookOrder,
	type Collection,
	etherOf,
	type Market,
	type MarketChange,
	ORDERS_MAX,
	pushEvent,
	SALES_PER_COLLECTION_MAX,
} from "./Market.ts";

type Transfer = Extract<ChainLog, { kind: "transfer" }>;
type At = { timeS: number; transaction: Hex };

/** The weight of one sale in the current price. */
const PRICE_WEIGHT = 0.15;

/**
 * Applies a block to the market, and returns the changes. Its collections and currencies must be
 * known.
 */
export function applyBlock(market: Market, block: ChainBlock): MarketChange[] {
	const { timeS } = block;
	expireOrders(market, timeS);
	const changes: MarketChange[] = [];
	for (const { hash, logs } of block.transactions) {
		const at = { timeS, transaction: hash };
		// Fills come first: some calls log them after the transfers, and the seller of a filled listing
		// did not give the token away.
		const isFill = (log: ChainLog) => log.kind === "fulfilled";
		const ordered = [...logs.filter(isFill), ...logs.filter((log) => !isFill(log))];
		for (const log of ordered) changes.push(...applyLog(market, log, at));
		for (const sale of salesOf(logs)) changes.push(...applySale(market, sale, at));
	}
	market.head = { number: block.number, hash: block.hash, timeS };
	return changes;
}

/** Ends orders that expired by this time, and drops those that ended longest ago. */
export function expireOrders(market: Market, timeS: number): void {
	for (const collection of market.collections.values()) {
		for (const order of collection.open) {
			if (order.expiresS <= timeS) endOrder(market, order, "EXPIRED");
		}
	}
	if (market.orders.size <= ORDERS_MAX * 1.1) return;
	for (const [hash, order] of market.orders) {
		if (market.orders.size <= ORDERS_MAX) return;
		if (order.status !== "ACTIVE" && order.status !== "INACTIVE") market.orders.delete(hash);
	}
}

/**
 * Takes units off an order that was filled on chain; returns the order, or null if it is unknown.
 */
function fillOrder(market: Market, hash: Hex, units: bigint): BookOrder | null {
	const order = market.orders.get(hash);
	if (!order) return null;
	order.remaining = order.remaining > units ? order.remaining - units : 0n;
	order.revision += 1;
	if (order.remaining === 0n) endOrder(market, order, "FULFILLED");
	return order;
}

/**
 * Updates a holder's listings after their units changed: they can be filled again, or no longer.
 *
 * The provider watches the chain too, so a listing whose seller gave the token away is inactive,
 * and active again when the token is back.
 */
export function recheckListings(
	collection: Collection,
	of: { holder: Address; id: bigint },
	timeS: number,
): MarketChange[] {
	const held = collection.holders.get(of.id)?.get(of.holder) ?? 0n;
	const changes: MarketChange[] = [];
	for (const order of collection.open) {
		const isHis = order.kind === "listing" && order.maker === of.holder;
		if (!isHis || order.tokenId !== of.id) continue;
		const status = held >= order.remaining ? "ACTIVE" : "INACTIVE";
		if (status === order.status) continue;
		order.status = status;
		order.revision += 1;
		changes.push({ kind: status === "ACTIVE" ? "valid" : "invalid", order, timeS });
	}
	return changes;
}

/** Cancels what a maker signed before their counter changed. */
function retireMaker(market: Market, maker: Address, timeS: number): MarketChange[] {
	market.retired.add(maker);
	const changes: MarketChange[] = [];
	for (const collection of market.collections.values()) {
		for (const order of collection.open) {
			if (order.maker !== maker) continue;
			endOrder(market, order, "CANCELLED");
			changes.push({ kind: "gone", order, timeS });
		}
	}
	return changes;
}

/** Ends an order permanently; it can still be found by its hash. */
export function endOrder(
	market: Market,
	order: BookOrder,
	status: "FULFILLED" | "EXPIRED" | "CANCELLED",
): void {
	order.status = status;
	order.revision += 1;
	market.collections.get(order.slug)?.open.delete(order);
}

function applyLog(market: Market, log: ChainLog, at: At): MarketChange[] {
	switch (log.kind) {
		case "transfer":
			return applyTransfer(market, log, at);
		case "fulfilled": {
			const goods = [...log.offer, ...log.consideration].find((item) => item.itemType >= 2);
			fillOrder(market, log.orderHash, goods?.amount ?? 1n);
			return [];
		}
		case "cancelled": {
			const order = market.orders.get(log.orderHash);
			if (!order) return [];
			endOrder(market, order, "CANCELLED");
			return [{ kind: "gone", order, timeS: at.timeS }];
		}
		case "counter":
			return retireMaker(market, log.offerer, at.timeS);
		case "metadata": {
			const collection = market.byAddress.get(log.contract);
			if (!collection) return [];
			const ids = collection.ids.filter((id) => id >= log.fromId && id <= log.toId);
			return [{ kind: "metadata", collection, ids, timeS: at.timeS }];
		}
	}
}

function applyTransfer(market: Market, log: Transfer, at: At): MarketChange[] {
	const collection = market.byAddress.get(log.contract);
	if (!collection) return [];
	const { id, units, from, to } = log;
	move(collection, log);
	const event = pushEvent(market, {
		type: from === zeroAddress ? "mint" : "transfer",
		timeS: at.timeS,
		collection,
		tokenId: id,
		quantity: units,
		transaction: at.transaction,
		order: null,
		orderHash: null,
		from,
		to,
		payment: null,
		isAcceptedOffer: false,
	});
	return [
		event,
		...recheckListings(collection, { holder: from, id }, at.timeS),
		...recheckListings(collection, { holder: to, id }, at.timeS),
	];
}

function move(collection: Collection, { id, units, from, to }: Transfer): void {
	let holders = collection.holders.get(id);
	if (!holders) {
		holders = new Map();
		collection.holders.set(id, holders);
		collection.ids.push(id);
	}
	if (from === zeroAddress) collection.units += units;
	else take(holders, from, units);
	if (to === zeroAddress) collection.units -= units;
	else holders.set(to, (holders.get(to) ?? 0n) + units);
}

function take(holders: Map<Address, bigint>, from: Address, units: bigint): void {
	const left = (holders.get(from) ?? 0n) - units;
	if (left > 0n) holders.set(from, left);
	else holders.delete(from);
}

function applySale(market: Market, sale: ChainSale, at: At): MarketChange[] {
	const collection = market.byAddress.get(sale.contract);
	const currency = market.currencies.get(sale.currency);
	if (!collection || !currency) return [];
	const ether = etherOf(sale.totalRaw, currency);
	collection.totals.sales += 1;
	collection.totals.ether += ether;
	collection.sales.push({ timeS: at.timeS, ether });
	if (collection.sales.length > SALES_PER_COLLECTION_MAX * 1.2) {
		collection.sales.splice(0, collection.sales.length - SALES_PER_COLLECTION_MAX);
	}
	if (ether > 0) {
		const log = Math.log(ether / Number(sale.units));
		const before = collection.logPrice ?? log;
		collection.logPrice = before + (log - before) * PRICE_WEIGHT;
	}
	const event = pushEvent(market, {
		type: "sale",
		timeS: at.timeS,
		collection,
		tokenId: sale.id,
		quantity: sale.units,
		transaction: at.transaction,
		order: market.orders.get(sale.orderHash) ?? null,
		orderHash: sale.orderHash,
		from: sale.seller,
		to: sale.buyer,
		payment: { totalRaw: sale.totalRaw, currency },
		isAcceptedOffer: sale.isAcceptedOffer,
	});
	return [event];
}
