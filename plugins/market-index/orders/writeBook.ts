import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import { ORDER_KINDS } from "#plugins/market-index/event/BookOrder.ts";
import { decideFloor } from "#plugins/market-index/floor/decideFloor.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import { statsFloorNative } from "#plugins/market-index/floor/statsFloorNative.ts";
import { isSameOrder } from "#plugins/market-index/orders/isSameOrder.ts";
import {
	ORDERS_PER_STATEMENT_MAX,
	SEEN_AGAIN_MS,
	UNSEEN_MS,
} from "#plugins/market-index/orders/limits.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { sendOrderFrames } from "#plugins/market-index/orders/sendOrderFrames.ts";
import { bookFigures } from "#plugins/market-index/orders/sql/bookFigures.ts";
import { readKnownOrders } from "#plugins/market-index/orders/sql/readKnownOrders.ts";
import { retireOrders } from "#plugins/market-index/orders/sql/retireOrders.ts";
import { upsertOrders } from "#plugins/market-index/orders/sql/upsertOrders.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

/**
 * One side of a book as it was read: `isWhole` where nothing was left beyond the last page, `isCut`
 * where a page did not come, `isWritten` where all of it was written by an earlier turn.
 */
export type BookSide = {
	rows: readonly OrderRow[];
	isWhole: boolean;
	isCut: boolean;
	isWritten?: boolean;
};

export type BookReading = {
	listings: BookSide;
	offers: BookSide;
	/** The provider's own floor; null where it has none, or where it spans other contracts too. */
	statsFloor: ProviderFigure;
	/** False where the stats could not be had: they say nothing, not even that there is no floor. */
	isStatsRead: boolean;
	/** When the provider was asked for the first page. */
	askedAtMs: number;
	/**
	 * True where it continues an interrupted reading: rows which that one wrote belong to this one
	 * too.
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
 * Writes a book as a new generation: what it has is active, what only earlier ones had is retired.
 * A side that was not read to its end retires nothing young, and says no number of listings.
 *
 * What is as it was is not written again for ten minutes: of 5,000 orders that are all the same
 * each sync wrote 17 to 26 MB of log, and held the book for two seconds.
 */
export async function writeBook(tx: Tx, reading: BookReading, writing: Writing): Promise<void> {
	const { core, prices, chain, collection } = writing;
	const nowMs = core.clock.nowMs();
	const at = new Date(nowMs);
	// The row's lock: of two books of one collection the second waits here.
	const isCut = reading.listings.isCut || reading.offers.isCut;
	const [next] = await tx.query<{ generation: number }>(
		`update market_index.sync set generation = generation + $4,
			orders_at = case when $3 then $2 else orders_at end
		where collection_id = $1 returning generation`,
		[collection.id, at, !isCut, reading.isResumed ? 0 : 1],
	);
	if (!next) return;
	const { generation } = next;
	const changed: Hex[] = [];
	const asked = new Date(reading.askedAtMs);
	const told = uniqueRows([...reading.listings.rows, ...reading.offers.rows]);
	// Of a part each order is written: whoever reads the last one knows by that what was seen.
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
		// Of a side of which nothing came, nothing is known to have gone.
		if (side.isWritten || (side.isCut && side.rows.length === 0)) continue;
		const seenBefore = side.isWhole ? asked : new Date(reading.askedAtMs - UNSEEN_MS);
		const retire = { collectionId: collection.id, generation, kinds, kept, seenBefore, at };
		changed.push(...(await retireOrders(tx, retire)));
	}
	await writeFigures(tx, reading, { ...writing, nowMs });
	const { outbox } = core;
	await sendOrderFrames(tx, { chain, collection, changed, outbox, prices, nowMs });
}

/** What the stored book says: how many tokens are for sale, and the floor. */
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
	// Some of the asks, without the stats, are no floor.
	if (!isStatsRead && !isWhole) return;
	const statsNative = statsFloorNative(stats, { chainId: collection.chainId, prices, nowMs });
	// That nobody sells is known only where the stats, which see more markets, do not object.
	const isEmptyBook = isStatsRead && isWhole && listed === 0;
	const floor = decideFloor({ stats, statsNative, best, isEmptyBook });
	const { outbox } = core;
	await setFloor(tx, { chain, collection, reading: floor, outbox, prices, nowMs, askedAtMs });
}

/** Each order once, the last that was said of it. */
function uniqueRows(rows: readonly OrderRow[]): OrderRow[] {
	return [...new Map(rows.map((row) => [row.orderHash, row])).values()];
}

/** In parts that one statement takes. */
function chunksOf(rows: readonly OrderRow[]): OrderRow[][] {
	const chunks: OrderRow[][] = [];
	for (let at = 0; at < rows.length; at += ORDERS_PER_STATEMENT_MAX) {
		chunks.push(rows.slice(at, at + ORDERS_PER_STATEMENT_MAX));
	}
	return chunks;
}
