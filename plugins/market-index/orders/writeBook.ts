import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import { ORDER_KINDS } from "#plugins/market-index/book/BookOrder.ts";
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
import { bookFigures } from "#plugins/market-index/orders/sql/bookFigures.ts";
import { readKnownOrders } from "#plugins/market-index/orders/sql/readKnownOrders.ts";
import { retireOrders } from "#plugins/market-index/orders/sql/retireOrders.ts";
import { upsertOrders } from "#plugins/market-index/orders/sql/upsertOrders.ts";
import { tellOrders } from "#plugins/market-index/orders/tellOrders.ts";
import type { SyncedCollection } from "#plugins/market-index/sync/SyncContext.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

/** One side of a book as it was read; `isWhole` where nothing was left beyond the last page. */
export type BookSide = { rows: readonly OrderRow[]; isWhole: boolean };

export type BookReading = {
	listings: BookSide;
	offers: BookSide;
	/** The provider's own floor; null where it has none, or where it spans other contracts too. */
	statsFloor: ProviderFigure;
	/** When the provider was asked for the first page. */
	askedAtMs: number;
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
	const [next] = await tx.query<{ generation: number }>(
		`update market_index.sync set generation = generation + 1, orders_at = $2
		where collection_id = $1 returning generation`,
		[collection.id, at],
	);
	if (!next) return;
	const { generation } = next;
	const changed: Hex[] = [];
	const asked = new Date(reading.askedAtMs);
	const told = uniqueRows([...reading.listings.rows, ...reading.offers.rows]);
	const since = new Date(nowMs - SEEN_AGAIN_MS);
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
		const seenBefore = side.isWhole ? asked : new Date(reading.askedAtMs - UNSEEN_MS);
		const retire = { collectionId: collection.id, generation, kinds, kept, seenBefore, at };
		changed.push(...(await retireOrders(tx, retire)));
	}
	const { listed, best } = await bookFigures(tx, collection.id, nowMs);
	const { isWhole } = reading.listings;
	await tx.execute(
		`update market_index.collection set listed_count = $2
		where id = $1 and listed_count is distinct from $2`,
		[collection.id, isWhole ? listed : null],
	);
	const stats = reading.statsFloor;
	const statsNative = statsFloorNative(stats, { chainId: collection.chainId, prices, nowMs });
	const isEmptyBook = isWhole && listed === 0;
	const floor = decideFloor({ stats, statsNative, best, isEmptyBook });
	const { outbox } = core;
	const { askedAtMs } = reading;
	await setFloor(tx, { chain, collection, reading: floor, outbox, prices, nowMs, askedAtMs });
	await tellOrders(tx, { chain, collection, changed, outbox, prices, nowMs });
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
