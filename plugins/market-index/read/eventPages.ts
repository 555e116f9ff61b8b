// Reads pages of candles, sales and events of one collection.

import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import { CURSOR_PART, type CursorScope, createCursor } from "#core/http/pages.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import {
	createEventCursor,
	type EventCursor,
	foreignCurrencies,
	type MarketEvent,
	type StoredEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import {
	coverageOf,
	heldBy,
	type PageRange,
	pageCoverage,
	readChainSpans,
} from "#plugins/market-index/figures/coverage.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { type IndexReads, resolveChain } from "#plugins/market-index/read/context.ts";
import { renderEvent, renderSalePoint, renderTraits } from "#plugins/market-index/render/event.ts";
import { renderTiles } from "#plugins/market-index/render/figures.ts";
import {
	type Candle,
	type CandleInterval,
	renderCandle,
	WINDOW_MS,
	windowOf,
} from "#plugins/market-index/rollup/windows.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/collection.ts";
import type { SalesDrawn } from "#plugins/market-index/schemas/event.ts";
import type { Tile } from "#plugins/market-index/schemas/figures.ts";
import type { SalePoint } from "#plugins/market-index/schemas/lists.ts";
import { chooseSales } from "#plugins/market-index/sql/chooseSales.ts";
import { readCurrencies } from "#plugins/market-index/sql/collectionNames.ts";
import { readCollection } from "#plugins/market-index/sql/collectionRows.ts";
import {
	type EventFilter,
	isFiltering,
	readFiltered,
} from "#plugins/market-index/sql/filterEvents.ts";
import {
	type ActivityQuery,
	findTokenSale,
	readActivity,
	readEventSpans,
} from "#plugins/market-index/sql/readEvents.ts";
import { readCandles, readTileFigures } from "#plugins/market-index/sql/windowSums.ts";
import { readTokenFacts } from "#plugins/market-index/tokens/sql/tokens.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type CandlePage = {
	candles: Candle[];
	coverage: ShownPartial;
	page: { nextCursor: string | null; hasMore: boolean };
};

type TokenEvents = {
	events: MarketEvent[];
	/** Known ranks, by token id. */
	ranks: ReadonlyMap<string, number>;
};

type EventPage = TokenEvents & {
	page: { nextCursor: string | null; hasMore: boolean };
	/** How far back a page with filters looked before it was full; null: it missed nothing. */
	scannedTo: string | null;
	/** The time that it is about. */
	range: PageRange;
};

type Sales = {
	points: SalePoint[];
	tiles: Tile[];
	coverage: ShownPartial;
	page: EventPage["page"];
	scannedTo: string | null;
	drawn: SalesDrawn | null;
};

type SalesContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
};

/** Lists the periods of a list of sales; `all` has no limit. */
export const SALES_RANGES = ["1h", "24h", "7d", "30d", "all"] as const;

export type SalesRange = (typeof SALES_RANGES)[number];

type SalesQuery = {
	range: SalesRange;
	cursor: string | undefined;
	limit: number;
	filtered?: FilteredBy | undefined;
	/** Chooses so many points for a chart, in place of a page. */
	pointsMax?: number | undefined;
};

/** The filters of a list of events, with what its cursors are bound to. */
export type FilteredBy = {
	filter: EventFilter;
	since: Date | null;
	until: Date | null;
	scope: CursorScope;
};

type EventPageQuery = Omit<ActivityQuery, "after"> & {
	cursors: EventCursor;
	cursor: string | undefined;
	filter?: EventFilter | undefined;
	nowMs: number;
};

const candleCursors = createCursor("candles2", [CURSOR_PART.millis]);
const salesCursors = createEventCursor("sales2");

/**
 * Reads candles in the order of a chart, newest last. A cursor is the opening time of the oldest
 * candle of the page before. It takes precedence over `before`, which a client may still send.
 */
export async function readCandlePage(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	query: {
		collection: Pick<FoundCollection, "id" | "chain" | "address">;
		interval: CandleInterval;
		before: Date | null;
		cursor: string | undefined;
		limit: number;
	},
): Promise<CandlePage> {
	const { collection, interval, cursor, limit } = query;
	const { id: collectionId, chain, address } = collection;
	const bound = candleCursors.of({ chain, address, interval });
	const before = cursor === undefined ? query.before : new Date(Number(bound.decode(cursor)[0]));
	const nowMs = core.clock.nowMs();
	// Both are read before the rows, so that they never claim more than those contain.
	const [spans, provider] = await Promise.all([
		readChainSpans(scanner, resolveChain(core, chain).id),
		readEventSpans(core.db, collectionId),
	]);
	const rows = await readCandles(core.db, { collectionId, interval, before, limit: limit + 1 });
	const shown = rows.slice(0, limit);
	const oldest = shown.at(-1);
	const hasMore = rows.length > limit;
	const nextCursor = hasMore && oldest ? bound.encode([`${oldest.bucket.getTime()}`]) : null;
	const range = {
		fromMs: hasMore && oldest ? oldest.bucket.getTime() : null,
		untilMs: Math.min(before?.getTime() ?? nowMs, nowMs),
	};
	return {
		candles: shown.reverse().map(renderCandle),
		coverage: pageCoverage(range, { candles: heldBy(provider, spans, "sales") }),
		page: { nextCursor, hasMore },
	};
}

/**
 * Returns accepted sales of a range, newest first, or those chosen for a chart, with the stat strip
 * of the last 24 hours.
 */
export async function readSales(
	{ core, scanner, prices }: SalesContext,
	found: FoundCollection,
	query: SalesQuery,
): Promise<Sales> {
	const { range, filtered, pointsMax } = query;
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	const spans = await readChainSpans(scanner, chain.id);
	const reads = { db: core.db, prices };
	const since = range === "all" ? null : windowOf(nowMs, WINDOW_MS[range]).start;
	const time = { since: filtered?.since ?? since, until: filtered?.until ?? null };
	const { chain: slugOfChain, address } = found;
	const cursors = salesCursors.of({ chain: slugOfChain, address, range, ...filtered?.scope });
	const [{ events, ranks, page, scannedTo, range: reached, drawn }, row, sums] = await Promise.all([
		pointsMax === undefined
			? readEventPage(reads, chain, {
					...{ collectionId: found.id, kinds: ["sale"], acceptedOnly: true, ...time },
					...{ filter: filtered?.filter, cursors, cursor: query.cursor },
					...{ limit: query.limit, nowMs },
				}).then((read) => ({ ...read, drawn: null }))
			: readDrawn(reads, chain, { collectionId: found.id, ...time, max: pointsMax, nowMs }),
		readCollection(core.db, found.id, { nowMs }),
		readTileFigures(core.db, found.id, nowMs),
	]);
	if (!row) throw marketFault.notFound();
	const { slug } = found;
	const points = events.map((sale) => {
		return renderSalePoint(sale, { chain, slug, rank: ranks.get(sale.tokenId) ?? null });
	});
	const coverage = pageCoverage(reached, { points: heldBy(row, spans, "sales") });
	const tiles = renderTiles(row, sums, { nowMs, spans });
	return { points, tiles, coverage, page, scannedTo, drawn };
}

/** Reads the sales that a chart of a time draws. */
async function readDrawn(
	reads: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	chain: Chain,
	query: {
		collectionId: number;
		since: Date | null;
		until: Date | null;
		max: number;
		nowMs: number;
	},
): Promise<EventPage & { drawn: SalesDrawn }> {
	const { sales, looked, lookedBackTo } = await chooseSales(reads.db, query);
	const { collectionId, since, until, nowMs } = query;
	const rendered = await withCurrencies(reads, chain, sales);
	return {
		...(await withTokens(reads.db, collectionId, rendered)),
		page: { nextCursor: null, hasMore: false },
		scannedTo: null,
		range: {
			fromMs: (lookedBackTo ?? since)?.getTime() ?? null,
			untilMs: Math.min(until?.getTime() ?? nowMs, nowMs),
		},
		drawn: {
			shown: sales.length,
			leftOut: looked - sales.length,
			from: lookedBackTo?.toISOString() ?? null,
		},
	};
}

/**
 * Returns the last accepted sale of one token, among the newest of its collection: no index is by
 * token. `searchedFrom`: since when nothing was left out; null where that is not known.
 */
export async function readTokenSale(
	{ core, scanner, prices }: SalesContext,
	found: FoundCollection,
	tokenId: string,
): Promise<{ sale: SalePoint | null; searchedFrom: string | null }> {
	const chain = resolveChain(core, found.chain);
	// Both are read before the rows, so that they never claim more than those contain.
	const [spans, provider] = await Promise.all([
		readChainSpans(scanner, chain.id),
		readEventSpans(core.db, found.id),
	]);
	const { sale, searchedFrom } = await findTokenSale(core.db, { collectionId: found.id, tokenId });
	const [event] = await withCurrencies({ db: core.db, prices }, chain, sale ? [sale] : []);
	const nowMs = core.clock.nowMs();
	const range = { startMs: searchedFrom?.getTime() ?? 0, nowMs };
	const fromMs = coverageOf(range, heldBy(provider, spans, "sales"))?.coverage.fromMs ?? null;
	return {
		sale: event ? renderSalePoint(event, { chain, slug: found.slug, rank: null }) : null,
		searchedFrom: fromMs === null ? null : new Date(fromMs).toISOString(),
	};
}

/**
 * Returns a page of one collection's events. One more than fits is read, to know whether more
 * exist. With filters it is a bounded scan: a short page may have a next one, from where it
 * stopped.
 */
export async function readEventPage(
	reads: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	chain: Chain,
	query: EventPageQuery,
): Promise<EventPage> {
	const { cursors, cursor, limit, since, nowMs, filter = {} } = query;
	const after = cursor === undefined ? null : cursors.decode(cursor);
	const asked = { ...query, after, limit: limit + 1 };
	const { events: found, reached } = isFiltering(filter)
		? await readFiltered(reads.db, { ...asked, filter, chainId: chain.id })
		: { events: await readActivity(reads.db, asked), reached: null };
	const shown = found.slice(0, limit);
	const last = found.length > limit ? shown.at(-1) : reached;
	return {
		...(await withTokens(reads.db, query.collectionId, await withCurrencies(reads, chain, shown))),
		page: { nextCursor: last ? cursors.encode(last) : null, hasMore: !!last },
		scannedTo: reached === null ? null : new Date(reached.occurredAtMs).toISOString(),
		range: {
			fromMs: last ? last.occurredAtMs : (since?.getTime() ?? null),
			untilMs: Math.min(after?.occurredAtMs ?? nowMs, query.until?.getTime() ?? nowMs, nowMs),
		},
	};
}

/** Renders stored events of one chain for clients, with what is known of their currencies. */
async function withCurrencies(
	{ db, prices }: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	chain: Chain,
	events: readonly StoredEvent[],
): Promise<MarketEvent[]> {
	const currencies = await readCurrencies(db, chain.id, foreignCurrencies(events));
	return events.map((event) => renderEvent(chain, event, { currencies, prices }));
}

/**
 * Adds the tokens' own metadata to events of one collection. An image and traits that came with the
 * event stay: they are what was sold then.
 */
async function withTokens(
	db: Queryable,
	collectionId: number,
	events: readonly MarketEvent[],
): Promise<TokenEvents> {
	const facts = await readTokenFacts(
		db,
		collectionId,
		events.map(({ tokenId }) => tokenId),
	);
	const ranks = new Map<string, number>();
	for (const [tokenId, { rank }] of facts) if (rank !== null) ranks.set(tokenId, rank);
	const filled = events.map((event) => {
		const token = facts.get(event.tokenId);
		if (!token) return event;
		const imageUrl = event.imageUrl ?? token.imageUrl;
		return { ...event, imageUrl, traits: event.traits ?? renderTraits(token.traits) };
	});
	return { events: filled, ranks };
}
