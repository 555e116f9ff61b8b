// Reads the rows of discover and of trending.

import type { Chain } from "#core/chain/Chain.ts";
import { createBinder, type Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { chainOfRow, displayTime } from "#plugins/market-index/display.ts";
import { type ChainSpans, NO_SPANS, readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import { floorChangePercent, readFloorsAt } from "#plugins/market-index/floor.ts";
import type { LifecycleFilter } from "#plugins/market-index/lifecycle.ts";
import { type IndexReads, readFreshness } from "#plugins/market-index/read/context.ts";
import {
	freshFloor,
	LIST_FIGURE_COLUMNS,
	readListFigures,
} from "#plugins/market-index/read/listFigures.ts";
import {
	createListCursor,
	type ListPage,
	listPaging,
} from "#plugins/market-index/read/listPaging.ts";
import { renderDiscoverRow, renderTrendingRow } from "#plugins/market-index/render/collection.ts";
import { renderEvent, renderTraits } from "#plugins/market-index/render/event.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windows.ts";
import type {
	DiscoverMint,
	DiscoverRow,
	Freshness,
	ListedDiscoverRow,
	ListedTrendingRow,
	TrendingReason,
	TrendingRow,
} from "#plugins/market-index/schemas/lists.ts";
import {
	type KnownFigures,
	listCollections,
	type Picked,
	pickCollections,
	readPicked,
} from "#plugins/market-index/sql/collectionLists.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import {
	DISCOVER_COLUMNS,
	type DiscoverColumns,
	TRENDING_COLUMNS,
	type TrendingColumns,
} from "#plugins/market-index/sql/listColumns.ts";
import { readLatestMints } from "#plugins/market-index/sql/readEvents.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type Discover<Row = DiscoverRow> = {
	trending: Row[];
	mints: DiscoverMint[];
	market: Row[];
	minting: Row[];
};

/** The windows over which trending counts sales. */
export const TRENDING_WINDOWS = ["5m", "1h", "6h", "24h", "7d"] as const;

type TrendingQuery = {
	chains: readonly Chain[];
	window: (typeof TRENDING_WINDOWS)[number];
	lifecycle?: LifecycleFilter | undefined;
	limit: number;
};

type PagedQuery = TrendingQuery & { cursor?: string | undefined };

/** A collection whose floor moved, with its change since the window began. */
type Mover = TrendingRow & { floorChangePercent: number };

/** Limits how many of the most traded collections are searched for those whose floor moved most. */
export const MOVERS_READ = 100;
const MOVER_COLUMNS = [...TRENDING_COLUMNS, "id"] as const;
const LISTED_COLUMNS = [
	...new Set([...TRENDING_COLUMNS, ...LIST_FIGURE_COLUMNS, "lastSaleAt"] as const),
];
const SECTION_COLUMNS = [
	...new Set([...DISCOVER_COLUMNS, ...LIST_FIGURE_COLUMNS, "lastSaleAt"] as const),
];

/** How trending is ordered (`COLLECTION_ORDER`), by the names of its terms. */
const TRENDING_FORMULA =
	"sales, then volumeRaw, then lastSaleAt, then lastMintAt: the greatest first, null last";

const trendingCursors = createListCursor("trending1");

type DiscoverContext = {
	core: Pick<IndexReads, "db" | "clock">;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
};

/** Returns what happens across all tracked collections of these chains; `limit` rows a section. */
export async function readDiscover(
	context: DiscoverContext,
	chains: readonly Chain[],
	limit: number,
): Promise<Discover> {
	const { sections, mints, rows } = await readSections(context, chains, {
		limit,
		columns: DISCOVER_COLUMNS,
	});
	const shown = new Map(rows.map(({ row, shown }) => [row.id, shown]));
	const section = (ids: readonly Picked[]) => ids.flatMap(({ id }) => shown.get(id) ?? []);
	const { trending, market, minting } = sections;
	return {
		trending: section(trending),
		mints,
		market: section(market),
		minting: section(minting),
	};
}

/**
 * Returns the same for the route, with what rows of lists show beside: changes, shares, reasons.
 */
export async function readListedDiscover(
	context: DiscoverContext,
	chains: readonly Chain[],
	limit: number,
): Promise<Discover<ListedDiscoverRow>> {
	const { sections, mints, rows, nowMs, spansOf } = await readSections(context, chains, {
		limit,
		columns: SECTION_COLUMNS,
	});
	const own = rows.map(({ row }) => row);
	const db = context.core.db.keepingPlans;
	const figures = await readListFigures(db, own, { nowMs, spansOf });
	const listed = new Map(
		rows.flatMap(({ row, shown }) => {
			const more = figures.get(row.id);
			return more ? [[row.id, { row, shown: { ...shown, ...more } }] as const] : [];
		}),
	);
	const section = (ids: readonly Picked[]) => ids.flatMap(({ id }) => listed.get(id) ?? []);
	const { trending, market, minting } = sections;
	return {
		trending: section(trending).map(({ row, shown }) => ({ ...shown, why: reasonOf(row) })),
		mints,
		market: section(market).map(({ shown }) => shown),
		minting: section(minting).map(({ shown }) => shown),
	};
}

async function readSections<Column extends keyof CollectionRow>(
	{ core, scanner, prices }: DiscoverContext,
	chains: readonly Chain[],
	{ limit, columns }: { limit: number; columns: readonly (Column | keyof DiscoverColumns)[] },
) {
	const nowMs = core.clock.nowMs();
	const chainIds = chains.map(({ id }) => id);
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	// Read before the rows, so that it never claims more than they contain.
	const spansOf = await readSpansOf(scanner, chains);
	const db = core.db.keepingPlans;
	const pick = (order: "trending" | "market" | "minting") =>
		pickCollections(db, { chainIds, nowMs, window, order, limit });
	const [trending, mints, market, minting] = await Promise.all([
		pick("trending"),
		readLatestMints(db, { chainIds, limit }),
		pick("market"),
		pick("minting"),
	]);
	const picked = knownFigures({ daily: [...trending, ...market], minting, limit });
	const rows = await readPicked(db, { picked, nowMs, window, columns });
	return {
		sections: { trending, market, minting },
		nowMs,
		spansOf,
		rows: rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			return { row, shown: renderDiscoverRow(chainOfRow(chains, row), row, { nowMs, spans }) };
		}),
		mints: mints.map(({ event, collection, token, ...row }) => {
			// Mints are paid in native currency, so there is no coin to look up.
			const mint = renderEvent(chainOfRow(chains, row), event, { currencies: new Map(), prices });
			return {
				...mint,
				imageUrl: mint.imageUrl ?? token.imageUrl,
				traits: mint.traits ?? renderTraits(token.traits),
				collection,
			};
		}),
	};
}

/**
 * Returns discover rows of these collections of one chain, in order of id; an excluded one has
 * none.
 *
 * Runs inside the lane's transaction for every live batch: collections and rollups are read by
 * their primary keys only.
 */
export async function readDiscoverRows(
	db: Queryable,
	chain: Chain,
	collectionIds: readonly number[],
	{ nowMs, spans }: { nowMs: number; spans: ChainSpans | Promise<ChainSpans> },
): Promise<DiscoverRow[]> {
	if (collectionIds.length === 0) return [];
	const binder = createBinder();
	const ids = binder.bind(collectionIds, "int4[]");
	const text = collectionRows(binder, {
		picked: `with picked as (
			select id from market_index.collection where id = any(${ids}) and not excluded
		)`,
		nowMs,
		orderBy: "c.id",
		columns: DISCOVER_COLUMNS,
	});
	const reading = db.query<DiscoverColumns>(text, binder.values);
	// Neither waits for the other: both were sent.
	const [rows, covered] = await Promise.all([reading, spans]);
	return rows.map((row) => renderDiscoverRow(chain, row, { nowMs, spans: covered }));
}

/**
 * Returns a page of collections by sales in the window, or by volume, read at each request. Rows
 * before the page are read too, as their order is that of this moment.
 */
export async function readTrending(
	deps: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	query: PagedQuery & { by?: "sales" | "volume" },
): Promise<{ rows: TrendingRow[]; freshness: Freshness; page: ListPage }> {
	const paging = pagingOf(query);
	const read = { ...query, limit: paging.reach, columns: MOVER_COLUMNS };
	const { rows, freshness } = await readRows(deps, read);
	const { shown, page } = paging.cut(rows);
	return { rows: shown.map((row) => row.shown), freshness, page };
}

/** Returns collections by sales for the route, with changes and shares, and why each is there. */
export async function readListedTrending(
	deps: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	query: PagedQuery,
): Promise<{ rows: ListedTrendingRow[]; freshness: Freshness; page: ListPage }> {
	const paging = pagingOf(query);
	const read = await readRows(deps, { ...query, limit: paging.reach, columns: LISTED_COLUMNS });
	const { freshness, nowMs, spansOf } = read;
	const { shown: rows, page } = paging.cut(read.rows);
	const own = rows.map(({ row }) => row);
	const figures = await readListFigures(deps.core.db.keepingPlans, own, { nowMs, spansOf });
	return {
		rows: rows.flatMap(({ row, shown }) => {
			const more = figures.get(row.id);
			return more ? [{ ...shown, ...more, why: reasonOf(row) }] : [];
		}),
		...{ freshness, page },
	};
}

/** Returns what pages of trending begin with: a cursor is of one choice of rows and their order. */
function pagingOf({ chains, window, lifecycle, by, cursor, limit }: PagedQuery & { by?: string }) {
	const scope = { chains: chains.map(({ slug }) => slug).join(), window, lifecycle, by };
	return listPaging(trendingCursors.of(scope), { cursor, limit });
}

/**
 * Returns the collections whose floor rose (or fell) most since the window began, among those that
 * traded most in it: there is no index of changes. One without a stored floor at both times, or
 * whose floor did not move that way, is left out.
 */
export async function readMovers(
	deps: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	{ isRising, limit, ...query }: TrendingQuery & { isRising: boolean },
): Promise<{ rows: Mover[]; freshness: Freshness }> {
	const reading = { ...query, by: "volume", limit: MOVERS_READ, columns: MOVER_COLUMNS } as const;
	const { rows, freshness, nowMs } = await readRows(deps, reading);
	const before = await readFloorsAt(deps.core.db, {
		collectionIds: rows.map(({ row }) => row.id),
		times: [new Date(nowMs - WINDOW_MS[query.window])],
	});
	const floors = new Map(before.map(({ id, native }) => [id, native]));
	const movers = rows.flatMap(({ row, shown }): Mover[] => {
		const change = floorChangePercent(freshFloor(row, nowMs), floors.get(row.id) ?? null);
		if (change === null || change === 0 || change > 0 !== isRising) return [];
		return [{ ...shown, floorChangePercent: change }];
	});
	movers.sort((a, b) => Math.abs(b.floorChangePercent) - Math.abs(a.floorChangePercent));
	return { rows: movers.slice(0, limit), freshness };
}

async function readRows<Column extends keyof CollectionRow>(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	query: TrendingQuery & {
		by?: "sales" | "volume";
		columns: readonly (Column | keyof TrendingColumns)[];
	},
) {
	const { chains, window, lifecycle, limit, by = "sales", columns } = query;
	const nowMs = core.clock.nowMs();
	// Read before the rows, so that it never claims more than they contain. No list is read.
	const [freshness, spansOf] = await Promise.all([
		readFreshness(scanner, chains, { nowMs, listRefreshedAt: null }),
		readSpansOf(scanner, chains),
	]);
	const rows = await listCollections(core.db.keepingPlans, {
		chainIds: chains.map(({ id }) => id),
		nowMs,
		window: windowOf(nowMs, WINDOW_MS[window]),
		order: by === "sales" ? "trending" : "market",
		columns,
		lifecycle,
		limit,
	});
	return {
		rows: rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			const chain = chainOfRow(chains, row);
			return { row, shown: renderTrendingRow(chain, row, { nowMs, window, spans }) };
		}),
		freshness,
		nowMs,
		spansOf,
	};
}

/** Returns the terms by which trending orders a row. */
function reasonOf(
	row: Pick<CollectionRow, "windowSales" | "windowVolume" | "lastSaleAt" | "lastMintAt">,
): TrendingReason {
	return {
		formula: TRENDING_FORMULA,
		terms: {
			sales: row.windowSales,
			volumeRaw: row.windowVolume,
			lastSaleAt: displayTime(row.lastSaleAt),
			lastMintAt: displayTime(row.lastMintAt),
		},
	};
}

/**
 * Returns each collection once, with the sums that the sections already have. A collection that is
 * not among those that mint has no mint of the last hour, unless there are more of them than fit.
 */
function knownFigures(sections: {
	daily: readonly Picked[];
	minting: readonly Picked[];
	limit: number;
}): KnownFigures[] {
	const { daily, minting, limit } = sections;
	const mintsOfOthers = minting.length < limit ? 0 : null;
	const known = new Map<number, KnownFigures>();
	for (const { id, sales, priced, volume } of daily) {
		const window = sales === null ? null : { sales, priced, volume };
		known.set(id, { id, window: known.get(id)?.window ?? window, mints1h: mintsOfOthers });
	}
	for (const { id, mints } of minting) {
		known.set(id, { id, window: known.get(id)?.window ?? null, mints1h: mints });
	}
	return [...known.values()];
}
