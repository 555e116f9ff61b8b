import type { CachedPage } from "#core/cache/PageCache.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import type { ListedRow } from "#plugins/market-index/discovery/ListedRow.ts";
import { chainOfRow } from "#plugins/market-index/read/chainOfRow.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { pageRows } from "#plugins/market-index/read/pageRows.ts";
import { readCoverageEnd } from "#plugins/market-index/read/readCoverageEnd.ts";
import { readFreshness } from "#plugins/market-index/read/readFreshness.ts";
import type { ProviderHealth } from "#plugins/market-index/render/ProviderHealth.ts";
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

/** Part of every key: change it with the shape of the page, and old pages are never read. */
const PAGE_VERSION = "2";

/** A lane further behind than this is not following the head but catching up with it. */
const CATCHING_UP_BLOCKS = 64;

/**
 * The collections list as JSON text, from the page cache where it is there.
 *
 * Only `normalized` and `data` are cached. `freshness` is about the moment of serving, also on a
 * hit, so it is put in front of the closing brace each time.
 */
export async function collectionsPage(
	context: PageContext & { version?: string },
	query: CollectionsQuery,
): Promise<CachedPage> {
	const { core, scanner, version = PAGE_VERSION } = context;
	const { chains, mode, limit, scope } = query;
	const slugs = chains.map(({ slug }) => slug).join(",");
	const moment = await momentOf(core, scanner, chains);
	const key = `nft-market/collections:v${version}:${slugs}:${scope}:${mode}:${limit}${moment}`;
	const cached = await core.pageCache.get(key, () => buildPage(context, query));
	// A page is the time it was built at, a line break, and an object without its last brace.
	const cut = cached.body.indexOf("\n");
	const freshness = await readFreshness(scanner, chains, {
		nowMs: core.clock.nowMs(),
		listRefreshedAt: cached.body.slice(0, cut),
	});
	const body = `${cached.body.slice(cut + 1)},"freshness":${JSON.stringify(freshness)}}`;
	return { outcome: cached.outcome, body };
}

/**
 * Part of the key while a chain catches up: a page of its first moments, kept for its usual 15
 * seconds, would show a market that is long since full. So it is built anew each second then.
 */
async function momentOf(
	core: IndexReads,
	scanner: Pick<Scanner, "progress">,
	chains: readonly Chain[],
): Promise<string> {
	const lanes = await Promise.all(
		chains.flatMap(({ id }) => [scanner.progress(id, "sale"), scanner.progress(id, "mint")]),
	);
	const behind = lanes.some(({ headBlock, indexedBlock }) => {
		return (headBlock ?? Number.POSITIVE_INFINITY) - (indexedBlock ?? 0) > CATCHING_UP_BLOCKS;
	});
	return behind ? `@${Math.floor(core.clock.nowMs() / 1_000)}` : "";
}

async function buildPage(
	{ core, scanner, prices, providerHealth, lists }: PageContext,
	{ chains, mode, limit, scope }: CollectionsQuery,
): Promise<string> {
	const nowMs = core.clock.nowMs();
	const coverage = new Map<number, Date | null>();
	// Asked before the rows are read, so that it never claims more than they hold.
	for (const { id } of chains) coverage.set(id, await readCoverageEnd(scanner, id));
	const query = { chains, scope, mode, limit, nowMs };
	const { rows, refreshedAtMs } = await pageRows({ db: core.db, lists }, query);
	const provider = providerHealth();
	const normalized: Collection[] = [];
	const collections: RawCollection[] = [];
	for (const row of rows) {
		const rendered =
			row.own &&
			renderCollection(chainOfRow(chains, row.own), row.own, {
				nowMs,
				coverageEnd: coverage.get(row.own.chainId) ?? null,
				prices,
				provider,
			});
		if (rendered) normalized.push(rendered);
		if (row.kind === "listed") collections.push(rawRow(row.listed));
		else if (rendered && collections.length < limit)
			collections.push(renderRawCollection(rendered));
	}
	const page = { normalized, data: { collections } };
	const refreshedAt = new Date(refreshedAtMs ?? nowMs).toISOString();
	return `${refreshedAt}\n${JSON.stringify(page).slice(0, -1)}`;
}

/** As the provider sent it; its name is the one thing that every client relies on. */
function rawRow({ raw, slug }: ListedRow): RawCollection {
	return { ...raw, collection: slug };
}
