import type { CachedPage } from "#core/cache/PageCache.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import type { ProviderHealth } from "#plugins/market-index/display/ProviderHealth.ts";
import { NO_SPANS } from "#plugins/market-index/figures/ChainSpans.ts";
import { readSpansOf } from "#plugins/market-index/figures/readChainSpans.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { pageRows } from "#plugins/market-index/read/pageRows.ts";
import { readCoverageEnd } from "#plugins/market-index/read/readCoverageEnd.ts";
import { readFreshness } from "#plugins/market-index/read/readFreshness.ts";
import type { ListedRow } from "#plugins/market-index/register/ListedRow.ts";
import { renderCollection } from "#plugins/market-index/render/renderCollection.ts";
import { renderRawCollection } from "#plugins/market-index/render/renderRawCollection.ts";
import type { Collection } from "#plugins/market-index/schemas/collectionSchema.ts";
import type { RawCollection } from "#plugins/market-index/schemas/rawCollectionSchema.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type PageContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
	providerHealth: () => ProviderHealth;
	lists: ListSource;
};

export type CollectionsQuery = {
	chains: readonly Chain[];
	mode: "trending" | "top" | "new";
	limit: number;
	scope: "chain" | "all";
};

/** Part of every key: changed with the shape of the page, so that old pages are never read. */
const PAGE_VERSION = "3";

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
	const key = `nft-market/collections:v${version}:${slugs}:${scope}:${mode}:${limit}`;
	const cached = await core.pageCache.get(key, () => buildPage(context, query), moment);
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
	{ chains, mode, limit }: CollectionsQuery,
): Promise<string> {
	const nowMs = core.clock.nowMs();
	const coverage = new Map<number, Date | null>();
	// Read before the rows, so that it never claims more than they contain.
	for (const { id } of chains) coverage.set(id, await readCoverageEnd(scanner, id));
	const spansOf = await readSpansOf(scanner, chains);
	const query = { chains, mode, limit, nowMs };
	const { rows, refreshedAtMs } = await pageRows({ db: core.db, lists }, query);
	const provider = providerHealth();
	// Each row of the page is in both lists, at the same place.
	const normalized: Collection[] = [];
	const collections: RawCollection[] = [];
	for (const row of rows) {
		const rendered = renderCollection(chainOfRow(chains, row.own), row.own, {
			nowMs,
			spans: spansOf.get(row.own.chainId) ?? NO_SPANS,
			coverageEnd: coverage.get(row.own.chainId) ?? null,
			prices,
			provider,
		});
		normalized.push(rendered);
		collections.push(row.kind === "listed" ? rawRow(row.listed) : renderRawCollection(rendered));
	}
	const page = { normalized, data: { collections } };
	const refreshedAt = refreshedAtMs === null ? "" : new Date(refreshedAtMs).toISOString();
	return `${refreshedAt}\n${JSON.stringify(page).slice(0, -1)}`;
}

/** Returns the row as the provider sent it, with its slug, which every client relies on. */
function rawRow({ raw, slug }: ListedRow): RawCollection {
	return { ...raw, collection: slug };
}
