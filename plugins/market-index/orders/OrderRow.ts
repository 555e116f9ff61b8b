// Turns a provider's orders into rows, sorts changes of a book, and limits books.

import type { Address, Hex } from "#core/chain/Hex.ts";
import { toDisplayNumber, UNITS_BOUND } from "#core/money.ts";
import type { BookOrder } from "#plugins/market-index/event/MarketEvent.ts";
import type { SyncedCollection } from "#plugins/market-index/pace.ts";
import { storableJson } from "#plugins/market-index/payload.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderOrder, ProviderPush } from "#plugins/provider/contract.ts";

/** A change of a book from the provider's stream. */
export type OrderPush =
	| Extract<ProviderPush, { type: "order" | "order_gone" | "order_back" }>
	/** Reports how many units of an order were bought. */
	| { type: "order_filled"; slug: string; chainId: number; orderHash: Hex; quantity: bigint };

/** An order of one collection, ready to be stored. */
export type OrderRow = Omit<BookOrder, "seenAt" | "maker"> & {
	maker: Address;
	/** The price of one unit, in display units of `symbol`. */
	unitPrice: number;
	protocolData: ProviderOrder["protocolData"];
};

/** The members of an order that may change; its hash fixes all others. */
export type KnownOrder = {
	orderHash: Hex;
	quantity: string;
	totalRaw: string;
	unitNative: string | null;
	isPrivate: boolean;
	hasProtocolData: boolean;
	startsAt: Date | null;
	expiresAt: Date | null;
};

/** The interval of looking for due books, and how many are read at a time. */
export const BOOK_TICK_MS = 10_000;
/** The interval of looking for books that plans are about to buy from. */
export const URGENT_TICK_MS = 1_000;
export const BOOK_CONCURRENCY = 2;
export const BOOK_TIMEOUT_MS = 60_000;

/** The interval of reading a watched book; longer for a large one, by what its pages cost. */
export const BOOK_EVERY_MS = 30_000;
export const BOOK_EVERY_PER_PAGE_MS = 3_000;

/** Limits the age of an interrupted reading that the next turn continues. */
export const BOOK_READING_MAX_MS = 600_000;

/** Pages of each side of a book: 5,000 orders. What lies beyond is reported as unknown. */
export const BOOK_PAGES_MAX = 25;

/** Orders that one statement writes. */
export const ORDERS_PER_STATEMENT_MAX = 1_000;

/** Order changes of a topic that are sent one by one; more become one `snapshot_required`. */
export const ORDER_FRAMES_MAX = 40;

/** Orders beyond the pages that were read stay active this long after they were last seen. */
export const UNSEEN_MS = 3_600_000;

/** The interval of writing an unchanged order again, to record that it was seen. */
export const SEEN_AGAIN_MS = 600_000;

/** Retired orders are kept for a week. */
export const RETIRED_KEPT_MS = 7 * 86_400_000;
export const PRUNE_EVERY_MS = 60_000;
export const PRUNED_PER_STATEMENT_MAX = 5_000;

/**
 * Says whether storing an order would change nothing. A member that is missing now would not erase
 * the stored one.
 */
export function isSameOrder(row: OrderRow, known: KnownOrder | undefined): boolean {
	return (
		known !== undefined &&
		row.quantity === known.quantity &&
		row.totalRaw === known.totalRaw &&
		(row.unitNative === null || row.unitNative === known.unitNative) &&
		row.isPrivate === known.isPrivate &&
		(row.protocolData === null || known.hasProtocolData) &&
		row.startsAt?.getTime() === known.startsAt?.getTime() &&
		row.expiresAt?.getTime() === known.expiresAt?.getTime()
	);
}

/**
 * Returns a provider's order as a row of the collection's book. Null for orders that do not belong
 * there: those of another chain or contract with the same slug, those of no units, and expired
 * ones, which the provider may still call active and which would be retired and added again each
 * minute.
 */
export function orderRowOf(
	order: ProviderOrder,
	collection: SyncedCollection,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative" | "nativeOfSymbol">; nowMs: number },
): OrderRow | null {
	const { quantity, totalRaw, tokenId } = order;
	if (order.chainId !== collection.chainId) return null;
	if (order.contract !== null && order.contract !== collection.address) return null;
	if (quantity <= 0n || quantity >= UNITS_BOUND || totalRaw < 0n || totalRaw >= UNITS_BOUND) {
		return null;
	}
	if (tokenId !== null && (tokenId < 0n || tokenId >= UNITS_BOUND)) return null;
	if (order.expiresAtMs !== null && order.expiresAtMs <= nowMs) return null;
	// A listing must name a token and a price.
	if (order.kind === "listing" && (tokenId === null || totalRaw === 0n)) return null;
	const unitRaw = totalRaw / quantity;
	const unitNative = nativeOf(order, unitRaw, { prices, nowMs });
	return {
		orderHash: order.orderHash,
		kind: order.kind,
		tokenId: tokenId === null ? null : tokenId.toString(),
		maker: order.maker,
		quantity: quantity.toString(),
		currency: order.currency,
		symbol: order.symbol,
		decimals: order.decimals,
		totalRaw: totalRaw.toString(),
		unitNative: unitNative === null ? null : unitNative.toString(),
		unitPrice: toDisplayNumber(unitRaw, order.decimals),
		protocolAddress: order.protocolAddress,
		criteria: order.criteria,
		isPrivate: order.isPrivate,
		startsAt: order.startsAtMs === null ? null : new Date(order.startsAtMs),
		expiresAt: order.expiresAtMs === null ? null : new Date(order.expiresAtMs),
		protocolData: storableJson(order.protocolData),
	};
}

/**
 * Sorts changes of a book into rounds, in each of which an order appears once: the first round has
 * the first change of each order, and so on. Changes of different orders are independent, so one
 * round is a few statements however many orders it has, and each order still gets its changes in
 * the order of arrival. Of the same order sent repeatedly, with nothing else in between, the last
 * counts.
 */
export function roundsOf(pushes: readonly OrderPush[]): OrderPush[][] {
	const rounds: OrderPush[][] = [];
	const last = new Map<Hex, { round: number; place: number; type: OrderPush["type"] }>();
	for (const push of pushes) {
		const hash = push.type === "order" ? push.order.orderHash : push.orderHash;
		const before = last.get(hash);
		if (before && push.type === "order" && before.type === "order") {
			const told = rounds[before.round];
			if (told) told[before.place] = push;
			continue;
		}
		const round = before ? before.round + 1 : 0;
		const told = rounds[round] ?? [];
		rounds[round] = told;
		last.set(hash, { round, place: told.length, type: push.type });
		told.push(push);
	}
	return rounds;
}

/**
 * Values an order by its currency's address; by the symbol only where the provider named no
 * address.
 */
function nativeOf(
	{ chainId, currency, symbol, decimals }: ProviderOrder,
	unitRaw: bigint,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative" | "nativeOfSymbol">; nowMs: number },
): bigint | null {
	if (currency !== null) return prices.toNative({ chainId, currency }, unitRaw, nowMs);
	return prices.nativeOfSymbol(chainId, symbol, toDisplayNumber(unitRaw, decimals), nowMs);
}
