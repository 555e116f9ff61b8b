// Stores a book that was read, and publishes its changed orders.

import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Frame, Outbox } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import { ORDER_KINDS } from "#plugins/market-index/event/MarketEvent.ts";
import { decideFloor, setFloor, statsFloorNative } from "#plugins/market-index/floor.ts";
import { collectionTopic } from "#plugins/market-index/model.ts";
import { renderOrder } from "#plugins/market-index/orderBook.ts";
import {
	isSameOrder,
	ORDER_FRAMES_MAX,
	ORDERS_PER_STATEMENT_MAX,
	type OrderRow,
	SEEN_AGAIN_MS,
	UNSEEN_MS,
} from "#plugins/market-index/orders/OrderRow.ts";
import { bookFigures } from "#plugins/market-index/orders/sql/books.ts";
import {
	readKnownOrders,
	readStoredOrders,
	retireOrders,
	upsertOrders,
} from "#plugins/market-index/orders/sql/orders.ts";
import type { SyncedCollection } from "#plugins/market-index/pace.ts";
import { usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

/**
 * One side of a book as it was read: `isWhole` where nothing was left beyond the last page, `isCut`
 * where a page did not arrive, `isUnknown` where the provider does not know the list, `isWritten`
 * where an earlier turn wrote all of it, or this one does not read it.
 */
export type BookSide = {
	rows: readonly OrderRow[];
	isWhole: boolean;
	isCut: boolean;
	isUnknown?: boolean;
	isWritten?: boolean;
};

export type BookReading = {
	listings: BookSide;
	offers: BookSide;
	/** The provider's own floor; null where it has none, or where it includes other contracts. */
	statsFloor: ProviderFigure;
	/** False where the stats could not be read: they say nothing, not even that there is no floor. */
	isStatsRead: boolean;
	/** The time at which the provider was asked for the first page. */
	askedAtMs: number;
	/**
	 * True: it continues an interrupted reading, so rows which that one wrote belong to this one too.
	 */
	isResumed?: boolean;
};

type Writing = {
	core: Pick<Core, "clock" | "outbox">;
	prices: Prices;
	chain: Chain;
	collection: SyncedCollection;
};

const LISTINGS = [0];
const OFFERS = ORDER_KINDS.map((_, index) => index).filter((index) => index !== 0);

/**
 * Writes a book as a new generation: its orders are active, those of earlier generations only are
 * retired. A side that was not read to its end retires nothing recent, and gives no number of
 * listings.
 *
 * Unchanged orders are not written again for ten minutes: for 5,000 unchanged orders each sync
 * wrote 17 to 26 MB of log, and locked the book for two seconds.
 */
export async function writeBook(tx: Tx, reading: BookReading, writing: Writing): Promise<void> {
	const { core, prices, chain, collection } = writing;
	const nowMs = core.clock.nowMs();
	const at = new Date(nowMs);
	// The row's lock: of two readings of one book the second waits here.
	const isCut = reading.listings.isCut || reading.offers.isCut;
	const [next] = await tx.query<{ generation: number }>(
		`update market_index.sync set generation = generation + $4,
			orders_at = case when $3 then $2 else orders_at end,
			offers_at = case when $5 then $2 else offers_at end
		where collection_id = $1 returning generation`,
		[
			...[collection.id, at, hasEnded(reading.listings), reading.isResumed ? 0 : 1],
			hasEnded(reading.offers),
		],
	);
	if (!next) return;
	const { generation } = next;
	const changed: Hex[] = [];
	const asked = new Date(reading.askedAtMs);
	const told = uniqueRows([...reading.listings.rows, ...reading.offers.rows]);
	// Of a cut reading each order is written, so that the reading of the last part knows which were
	// seen.
	const since = isCut ? asked : new Date(nowMs - SEEN_AGAIN_MS);
	const stored = await readKnownOrders(tx, { collectionId: collection.id, since });
	const known = new Map(stored.map((order) => [order.orderHash, order]));
	const isSame = (row: OrderRow) => isSameOrder(row, known.get(row.orderHash));
	const kept = told.filter(isSame).map(({ orderHash }) => orderHash);
	for (const rows of chunksOf(told.filter((row) => !isSame(row)))) {
		const write = { collectionId: collection.id, generation, rows, knownAt: asked, seenAt: at };
		changed.push(...(await upsertOrders(tx, write)));
	}
	for (const [side, kinds] of [
		[reading.listings, LISTINGS],
		[reading.offers, OFFERS],
	] as const) {
		// For a side of which nothing arrived, no order is known to have gone.
		if (side.isWritten || (side.isCut && side.rows.length === 0)) continue;
		const seenBefore = side.isWhole ? asked : new Date(reading.askedAtMs - UNSEEN_MS);
		const retire = { collectionId: collection.id, generation, kinds, kept, seenBefore, at };
		changed.push(...(await retireOrders(tx, retire)));
	}
	await writeFigures(tx, reading, { ...writing, nowMs });
	const { outbox } = core;
	await sendOrderFrames(tx, { chain, collection, changed, outbox, prices, nowMs });
}

/**
 * Publishes the orders that became active or inactive in a collection's stream, as `market_event`
 * with `eventType` `listing` or `offer` and a `status`. More than `framesMax` become one
 * `snapshot_required`.
 */
export async function sendOrderFrames(
	tx: Tx,
	sending: {
		chain: Chain;
		collection: SyncedCollection;
		changed: readonly Hex[];
		outbox: Pick<Outbox, "append">;
		prices: Pick<Prices, "ethUsd">;
		nowMs: number;
		/** Changes that are sent one by one. */
		framesMax?: number;
	},
): Promise<void> {
	const { chain, collection, changed, outbox, prices, nowMs } = sending;
	const { framesMax = ORDER_FRAMES_MAX } = sending;
	if (changed.length === 0) return;
	const topic = collectionTopic(chain.slug, collection.address);
	if (changed.length > framesMax) {
		outbox.append(tx, topic, [{ type: "snapshot_required", data: { reason: "too_many_orders" } }]);
		return;
	}
	const usdOf = usdAt(prices, nowMs);
	const orders = await readStoredOrders(tx, collection.id, changed);
	const frames = orders.map(
		({ isActive, ...order }): Frame => ({
			type: "market_event",
			data: {
				id: `order:${order.orderHash}`,
				chain: chain.slug,
				contractAddress: collection.address,
				eventType: order.kind === "listing" ? "listing" : "offer",
				status: isActive ? "active" : "inactive",
				...renderOrder(order, usdOf),
				occurredAt: new Date(nowMs).toISOString(),
			},
		}),
	);
	outbox.append(tx, topic, frames);
}

/** Says whether this reading reached the end of a side, or the most pages that are read of it. */
function hasEnded({ isCut, isUnknown, isWritten }: BookSide): boolean {
	return !isCut && !isUnknown && !isWritten;
}

/** Returns each order once, in its newest version. */
function uniqueRows(rows: readonly OrderRow[]): OrderRow[] {
	return [...new Map(rows.map((row) => [row.orderHash, row])).values()];
}

/** Splits rows into parts for one statement each. */
function chunksOf(rows: readonly OrderRow[]): OrderRow[][] {
	const chunks: OrderRow[][] = [];
	for (let at = 0; at < rows.length; at += ORDERS_PER_STATEMENT_MAX) {
		chunks.push(rows.slice(at, at + ORDERS_PER_STATEMENT_MAX));
	}
	return chunks;
}

/** Writes the figures of the stored book: how many tokens are for sale, and the floor. */
async function writeFigures(
	tx: Tx,
	{ listings, statsFloor: stats, isStatsRead, askedAtMs }: BookReading,
	{ core, prices, chain, collection, nowMs }: Writing & { nowMs: number },
): Promise<void> {
	const { listed, best } = await bookFigures(tx, collection.id, nowMs);
	const { isWhole, isCut } = listings;
	if (!isCut) {
		await tx.execute(
			`update market_index.collection set listed_count = $2,
				listed_at = case when $2::int4 is null then listed_at else $3 end
			where id = $1 and ($2::int4 is not null or listed_count is not null)`,
			[collection.id, isWhole ? listed : null, new Date(nowMs)],
		);
	}
	// A part of the asks, without the stats, makes no floor.
	if (!isStatsRead && !isWhole) return;
	const statsNative = statsFloorNative(stats, { chainId: collection.chainId, prices, nowMs });
	// An empty book counts only where the stats, which see more markets, do not contradict it.
	const isEmptyBook = isStatsRead && isWhole && listed === 0;
	const floor = decideFloor({ stats, statsNative, best, isEmptyBook });
	const { outbox } = core;
	await setFloor(tx, { chain, collection, reading: floor, outbox, prices, nowMs, askedAtMs });
}
