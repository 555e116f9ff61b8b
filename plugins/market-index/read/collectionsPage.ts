// Builds the collections list from the provider's list and our own rows, and caches it.

import type { CachedPage } from "#core/cache.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { interleave, type ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import {
	type DiscoveryList,
	type ListMode,
	resolveListed,
} from "#plugins/market-index/discovery/sql.ts";
import { chainOfRow, type ProviderHealth } from "#plugins/market-index/display.ts";
import { NO_SPANS, readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import {
	type IndexReads,
	readCoverageEnd,
	readFreshness,
} from "#plugins/market-index/read/context.ts";
import { readListFigures } from "#plugins/market-index/read/listFigures.ts";
import {
	createListCursor,
	type ListPaging,
	listPaging,
} from "#plugins/market-index/read/listPaging.ts";
import type { ListedRow } from "#plugins/market-index/register/registerCollections.ts";
import { renderCollection, renderRawCollection } from "#plugins/market-index/render/collection.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windows.ts";
import type { RawCollection } from "#plugins/market-index/schemas/collection.ts";
import type { ListedCollection } from "#plugins/market-index/schemas/lists.ts";
import { listCollections } from "#plugins/market-index/sql/collectionLists.ts";
import { type CollectionRow, readCollections } from "#plugins/market-index/sql/collectionRows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type PageRowsQuery = {
	chains: readonly Chain[];
	mode: ListMode;
	/** Rows before the page, and up to the end of the next one's first. */
	skipped: number;
	reach: number;
	nowMs: number;
};

/** Holds one of our rows: at its place in the provider's list, or after the end of that list. */
type PageRow =
	| { kind: "listed"; listed: ListedRow; own: CollectionRow }
	| { kind: "own"; own: CollectionRow };

type PageRows = {
	/** Listed rows first, in the provider's order. */
	rows: PageRow[];
	/** The time when the oldest list of the page was read; null without any. */
	refreshedAtMs: number | null;
};

type CollectionsQuery = {
	chains: readonly Chain[];
	mode: "trending" | "top" | "new";
	limit: number;
	scope: "chain" | "all";
	cursor?: string | undefined;
};

type PageContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
	providerHealth: () => ProviderHealth;
	lists: ListSource;
};

/** Part of every key: changed with the shape of the page, so that old pages are never read. */
const PAGE_VERSION = "4";

const collectionCursors = createListCursor("collections1");

/** A lane further behind than this is not following the head but catching up with it. */
const CATCHING_UP_BLOCKS = 64;

/** A lane that has not moved for this long is not catching up, however far behind it is. */
const LANE_SILENT_MS = 60_000;

/**
 * Returns the collections list as JSON text, from the page cache if it is there.
 *
 * Only `normalized` and `data` are cached. `freshness` is about the moment of serving, also on a
 * hit, so it is inserted before the closing brace each time.
 */
export async function collectionsPage(
	context: PageContext & { version?: string },
	query: CollectionsQuery,
): Promise<CachedPage> {
	const { core, scanner, version = PAGE_VERSION } = context;
	const { chains, mode, limit, scope } = query;
	const slugs = chains.map(({ slug }) => slug).join(",");
	const moment = await momentOf(core, scanner, chains);
	const bound = collectionCursors.of({ chains: slugs, mode, scope });
	const paging = listPaging(bound, { cursor: query.cursor, limit });
	const key = `nft-market/collections:v${version}:${slugs}:${scope}:${mode}:${limit}:${paging.skipped}`;
	const cached = await core.pageCache.get(key, () => buildPage(context, query, paging), moment);
	// A page is the time of its list, if any, a line break, and an object without its last brace.
	const cut = cached.body.indexOf("\n");
	const freshness = await readFreshness(scanner, chains, {
		nowMs: core.clock.nowMs(),
		listRefreshedAt: cached.body.slice(0, cut) || null,
	});
	const body = `${cached.body.slice(cut + 1)},"freshness":${JSON.stringify(freshness)}}`;
	return { outcome: cached.outcome, body };
}

/**
 * Returns the rows of a page of collections: the provider's list as far as our index has it on
 * these chains, each row with our own figures, and our own rows after it until the page is full.
 *
 * A listed collection on none of these chains has no figures of ours, and is on no page.
 */
async function pageRows(
	context: { db: Queryable; lists: ListSource },
	query: PageRowsQuery,
): Promise<PageRows> {
	const { db, lists } = context;
	const { chains, mode, skipped, reach, nowMs } = query;
	const read = await Promise.all(chains.map((chain) => lists.listFor({ chain, mode })));
	const found = read.flatMap((list) => list ?? []);
	const chainIds = chains.map(({ id }) => id);
	const all = (await ownListed(db, { chainIds, found })).slice(0, reach);
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	const known = new Set(all.map(({ id }) => id));
	// As many as the whole page, because each of them may be among those listed.
	const ours =
		all.length < reach
			? await listCollections(db, { chainIds, nowMs, window, order: mode, limit: reach })
			: [];
	const unlisted = ours.filter(({ id }) => !known.has(id)).slice(0, reach - all.length);
	const listed = all.slice(skipped);
	const ids = listed.map(({ id }) => id);
	const more = unlisted.slice(Math.max(0, skipped - all.length));
	const isCold = !read.every((list) => list?.isWarm);
	if (isCold) await lists.complete([...listed, ...more.map(({ id }) => ({ id, listed: null }))]);
	// Figures that were just filled are shown at once.
	const asked = isCold ? [...ids, ...more.map(({ id }) => id)] : ids;
	const rows = await readCollections(db, { collectionIds: asked, nowMs, window });
	const own = new Map(rows.map((row) => [row.id, row]));
	return {
		rows: [
			...listed.flatMap(({ id, listed }): PageRow[] => {
				const row = own.get(id);
				return row ? [{ kind: "listed", listed, own: row }] : [];
			}),
			...more.map((row): PageRow => ({ kind: "own", own: own.get(row.id) ?? row })),
		],
		refreshedAtMs: found.length === 0 ? null : Math.min(...found.map((list) => list.refreshedAtMs)),
	};
}

/**
 * Returns the moment that a page belongs to, for the page cache. While a live lane catches up it is
 * the second: a page from its first moments, kept for its usual 15 seconds, would show a market
 * that has long been filled. A lane's first block begins another moment as well. Chains without a
 * lane (`NFT_DISCOVERY_CHAINS`, or while no worker runs) stay in one: their pages are kept as
 * usual.
 */
async function momentOf(
	core: IndexReads,
	scanner: Pick<Scanner, "progress">,
	chains: readonly Chain[],
): Promise<string> {
	const nowMs = core.clock.nowMs();
	const lanes = await Promise.all(
		chains.flatMap(({ id }) => [scanner.progress(id, "sale"), scanner.progress(id, "mint")]),
	);
	const isCatchingUp = lanes.some(({ headBlock, indexedBlock, indexedAtMs }) => {
		if (headBlock === null || indexedBlock === null || indexedAtMs === null) return false;
		return headBlock - indexedBlock > CATCHING_UP_BLOCKS && nowMs - indexedAtMs < LANE_SILENT_MS;
	});
	const begun = lanes.map(({ indexedBlock }) => (indexedBlock === null ? "0" : "1")).join("");
	return isCatchingUp ? `${begun}@${Math.floor(nowMs / 1_000)}` : begun;
}

async function buildPage(
	{ core, scanner, prices, providerHealth, lists }: PageContext,
	{ chains, mode }: CollectionsQuery,
	{ skipped, reach, cut }: ListPaging,
): Promise<string> {
	const nowMs = core.clock.nowMs();
	const coverage = new Map<number, Date | null>();
	// Read before the rows, so that it never claims more than they contain.
	for (const { id } of chains) coverage.set(id, await readCoverageEnd(scanner, id));
	const spansOf = await readSpansOf(scanner, chains);
	const query = { chains, mode, skipped, reach, nowMs };
	const read = await pageRows({ db: core.db, lists }, query);
	const { refreshedAtMs } = read;
	const { shown: rows, page } = cut(read.rows, { isSkipped: true });
	const own = rows.map((row) => row.own);
	const figures = await readListFigures(core.db.keepingPlans, own, { nowMs, spansOf });
	const provider = providerHealth();
	// Each row of the page is in both lists, at the same place.
	const normalized: ListedCollection[] = [];
	const collections: RawCollection[] = [];
	for (const row of rows) {
		const more = figures.get(row.own.id);
		if (!more) continue;
		const rendered = renderCollection(chainOfRow(chains, row.own), row.own, {
			nowMs,
			spans: spansOf.get(row.own.chainId) ?? NO_SPANS,
			coverageEnd: coverage.get(row.own.chainId) ?? null,
			prices,
			provider,
		});
		const { changes, listedPercent } = more;
		normalized.push({ ...rendered, changes, listedPercent });
		collections.push(row.kind === "listed" ? rawRow(row.listed) : renderRawCollection(rendered));
	}
	const body = { normalized, data: { collections }, page };
	const refreshedAt = refreshedAtMs === null ? "" : new Date(refreshedAtMs).toISOString();
	return `${refreshedAt}\n${JSON.stringify(body).slice(0, -1)}`;
}

/** Returns the row as the provider sent it, with its slug, which every client relies on. */
function rawRow({ raw, slug }: ListedRow): RawCollection {
	return { ...raw, collection: slug };
}

/**
 * Returns listed rows that are collections of ours on these chains, each once: two chains' lists
 * may name the same one, by its contract or by its slug.
 */
async function ownListed(
	db: Queryable,
	{ chainIds, found }: { chainIds: readonly number[]; found: readonly DiscoveryList[] },
): Promise<{ id: number; listed: ListedRow }[]> {
	const resolved = await resolveListed(db, interleave(found.map(({ rows }) => rows)));
	const held = new Map<number, ListedRow>();
	for (const { own, listed } of resolved) {
		if (!own || own.excluded || !chainIds.includes(own.chainId)) continue;
		if (!held.has(own.id)) held.set(own.id, listed);
	}
	return [...held].map(([id, listed]) => ({ id, listed }));
}
