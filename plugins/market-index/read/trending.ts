// Reads the rows of discover and of trending.

import type { Chain } from "#core/chain/Chain.ts";
import { createBinder, type Queryable } from "#core/db/Database.ts";
import { HOUR_MS } from "#core/time.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { chainOfRow } from "#plugins/market-index/display.ts";
import { type ChainSpans, NO_SPANS, readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import { floorChangePercent, readFloorsAt } from "#plugins/market-index/floor.ts";
import type { LifecycleFilter } from "#plugins/market-index/lifecycle.ts";
import { type IndexReads, readFreshness } from "#plugins/market-index/read/context.ts";
import { renderDiscoverRow, renderTrendingRow } from "#plugins/market-index/render/collection.ts";
import { renderEvent, renderTraits } from "#plugins/market-index/render/event.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windows.ts";
import type {
	DiscoverMint,
	DiscoverRow,
	Freshness,
	TrendingRow,
} from "#plugins/market-index/schemas/lists.ts";
import {
	type KnownFigures,
	listCollections,
	type Picked,
	pickCollections,
	readPicked,
} from "#plugins/market-index/sql/collectionLists.ts";
import { collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import {
	DISCOVER_COLUMNS,
	type DiscoverColumns,
	TRENDING_COLUMNS,
} from "#plugins/market-index/sql/listColumns.ts";
import { readLatestMints } from "#plugins/market-index/sql/readEvents.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type Discover = {
	trending: DiscoverRow[];
	mints: DiscoverMint[];
	market: DiscoverRow[];
	minting: DiscoverRow[];
};

/** The windows over which trending counts sales. */
export const TRENDING_WINDOWS = ["5m", "1h", "6h", "24h", "7d"] as const;

type TrendingQuery = {
	chains: readonly Chain[];
	window: (typeof TRENDING_WINDOWS)[number];
	lifecycle?: LifecycleFilter | undefined;
	limit: number;
};

/** A collection whose floor moved, with its change since the window began. */
type Mover = TrendingRow & { floorChangePercent: number };

/** Limits how many of the most traded collections are searched for those whose floor moved most. */
export const MOVERS_READ = 100;
/** A floor of longer ago is none of now. */
const FLOOR_FRESH_MS = 2 * HOUR_MS;
const MOVER_COLUMNS = [...TRENDING_COLUMNS, "id"] as const;

type DiscoverContext = {
	core: Pick<IndexReads, "db" | "clock">;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
};

/** Returns what happens across all tracked collections of these chains; `limit` rows a section. */
export async function readDiscover(
	{ core, scanner, prices }: DiscoverContext,
	chains: readonly Chain[],
	limit: number,
): Promise<Discover> {
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
	const columns = DISCOVER_COLUMNS;
	const rows = await readPicked(db, { picked, nowMs, window, columns });
	const rendered = new Map(
		rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			return [row.id, renderDiscoverRow(chainOfRow(chains, row), row, { nowMs, spans })];
		}),
	);
	const section = (ids: readonly Picked[]) => ids.flatMap(({ id }) => rendered.get(id) ?? []);
	return {
		trending: section(trending),
		mints: mints.map(({ event, collection, token, ...row }) => {
			// Mints are paid in native currency, so there is no coin to look up.
			const context = { currencies: new Map(), prices };
			const mint = renderEvent(chainOfRow(chains, row), event, context);
			return {
				...mint,
				imageUrl: mint.imageUrl ?? token.imageUrl,
				traits: mint.traits ?? renderTraits(token.traits),
				collection,
			};
		}),
		market: section(market),
		minting: section(minting),
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

/** Returns collections by sales in the window, or by volume, read at each request. */
export async function readTrending(
	deps: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	query: TrendingQuery & { by?: "sales" | "volume" },
): Promise<{ rows: TrendingRow[]; freshness: Freshness }> {
	const { rows, freshness } = await readRows(deps, query);
	return { rows: rows.map(({ shown }) => shown), freshness };
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
	const nowMs = deps.core.clock.nowMs();
	const reading = { ...query, by: "volume", limit: MOVERS_READ } as const;
	const { rows, freshness } = await readRows(deps, reading);
	const before = await readFloorsAt(deps.core.db, {
		collectionIds: rows.map(({ row }) => row.id),
		at: new Date(nowMs - WINDOW_MS[query.window]),
	});
	const floors = new Map(before.map(({ id, native }) => [id, native]));
	const movers = rows.flatMap(({ row, shown }): Mover[] => {
		const isFresh = row.floorAt !== null && nowMs - row.floorAt.getTime() < FLOOR_FRESH_MS;
		const change = floorChangePercent(isFresh ? row.floorNative : null, floors.get(row.id) ?? null);
		if (change === null || change === 0 || change > 0 !== isRising) return [];
		return [{ ...shown, floorChangePercent: change }];
	});
	movers.sort((a, b) => Math.abs(b.floorChangePercent) - Math.abs(a.floorChangePercent));
	return { rows: movers.slice(0, limit), freshness };
}

async function readRows(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	{ chains, window, lifecycle, limit, by = "sales" }: TrendingQuery & { by?: "sales" | "volume" },
) {
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
		columns: MOVER_COLUMNS,
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
