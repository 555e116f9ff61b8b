// Reads a page of search results: our own collections, else the provider's.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { CURSOR_PART, createCursor } from "#core/http/pages.ts";
import { chainOfRow, nativeCurrency } from "#plugins/market-index/display.ts";
import { type ChainSpans, NO_SPANS, readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import { ownersFigure } from "#plugins/market-index/figures/figures.ts";
import { addressIn, type RouteContext } from "#plugins/market-index/read/context.ts";
import { renderPartial } from "#plugins/market-index/render/collection.ts";
import { renderTrade } from "#plugins/market-index/render/event.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windows.ts";
import type { SearchHit } from "#plugins/market-index/schemas/lists.ts";
import type { SearchMatch, SearchUnknown } from "#plugins/market-index/schemas/search.ts";
import { findOthers, formOf, type OtherHits } from "#plugins/market-index/search/otherHits.ts";
import { type HitPlace, type MatchQuery, ownBySlug } from "#plugins/market-index/search/sql.ts";
import { type CollectionRow, readCollections } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderSearchHit } from "#plugins/provider/contract.ts";

export type SearchPage = {
	data: SearchHit[];
	/** What is no collection; on the first page alone. */
	matches: SearchMatch[];
	unknown: SearchUnknown[];
	page: { nextCursor: string | null; hasMore: boolean };
};

export type AskedSearch = {
	text: string;
	chains: readonly Chain[];
	isOneChain: boolean;
	limit: number;
	cursor: string | undefined;
	/** Also looks for what is no collection, which may ask chains. */
	isWide?: boolean;
};

export type SearchQuery = MatchQuery & {
	/** The whole query, where it is an address. */
	address: Address | null;
};

export type Found = {
	hits: HitPlace[];
	/**
	 * The place where the next page begins; null where nothing is left. A short page may have one.
	 */
	next: HitPlace | null;
};

export type CollectionSearch = (db: Queryable, query: SearchQuery) => Promise<Found>;

/** Returns collections as hits, in the given order; deleted ones are left out. */
export type HitsOf = (
	chains: readonly Chain[],
	collectionIds: readonly number[],
) => Promise<SearchHit[]>;

type SearchContext = Pick<RouteContext, "core" | "lists" | "lookUps"> & {
	search: CollectionSearch;
	hitsOf: HitsOf;
};

const TERMS_MAX = 8;
const TERM_LENGTH_MAX = 64;

const { count } = CURSOR_PART;
const cursors = createCursor("search2", [count, count, count]);
const INT4_MAX = 2_147_483_647;

const NO_OTHERS: OtherHits = { matches: [], unknown: [] };
const NO_HITS: Pick<SearchPage, "data" | "page"> = {
	data: [],
	page: { nextCursor: null, hasMore: false },
};

/**
 * Returns a page of a query's hits: our own collections, and on the first page what else the query
 * means. The provider is searched only where we have none, and so not for each typed letter, and
 * not for an address, a transaction or an ENS name. A provider's hit is ours if our index has its
 * slug on one of the chains; one on an unknown chain is shown only where the request names no
 * chain.
 */
export async function readSearch(context: SearchContext, query: AskedSearch): Promise<SearchPage> {
	const { core, lists, search, hitsOf } = context;
	const { text, chains, limit, cursor } = query;
	const chainIds = chains.map(({ id }) => id);
	const slug = text.trim().toLowerCase();
	const bound = cursors.of({ text: slug, chain: query.isOneChain ? chainIds[0] : undefined });
	const after = cursor === undefined ? null : placeOf(bound.decode(cursor));
	const form = formOf(text);
	const [{ hits, next }, { matches, unknown }] = await Promise.all([
		search(core.db, {
			chainIds,
			terms: searchTerms(text),
			address: addressIn(slug),
			slug,
			after,
			limit: limit + 1,
		}),
		query.isWide && after === null
			? findOthers({ ...context, collectionsOf: firstOf(context, chainIds) }, form, chains)
			: NO_OTHERS,
	]);
	if (hits.length === 0 && next === null && after === null) {
		const isNamed = form.kind === "words" || form.kind === "token" || !query.isWide;
		const isDone = matches.length > 0 || !isNamed;
		const told = isDone ? NO_HITS : await searchProvider(context, query);
		return { ...told, matches, unknown };
	}
	const shown = hits.slice(0, limit);
	const ids = shown.map(({ id }) => id);
	const data = await hitsOf(chains, ids);
	await lists.found(ids);
	// A short page was searched far beyond its last hit: the next one begins there.
	const place = hits.length > limit ? shown.at(-1) : next;
	const nextCursor = place ? bound.encode(partsOf(place)) : null;
	return { data, matches, unknown, page: { nextCursor, hasMore: nextCursor !== null } };
}

/** Makes a search for the first collections of some words. */
function firstOf({ core, search }: SearchContext, chainIds: readonly number[]) {
	return async (words: string, limit: number): Promise<number[]> => {
		const slug = words.trim().toLowerCase();
		const asked = { chainIds, terms: searchTerms(words), slug, after: null, limit };
		const { hits } = await search(core.db, { ...asked, address: addressIn(slug) });
		return hits.map(({ id }) => id);
	};
}

/** Returns these collections as hits, with their figures of the last day, by id. */
export async function readHits(
	{ core, scanner }: Pick<RouteContext, "core" | "scanner">,
	chains: readonly Chain[],
	collectionIds: readonly number[],
): Promise<Map<number, SearchHit>> {
	const nowMs = core.clock.nowMs();
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	// Read before the rows, so that it never claims more than they contain.
	const spansOf = await readSpansOf(scanner, chains);
	const rows = await readCollections(core.db, { collectionIds, nowMs, window });
	return new Map(
		rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			return [row.id, ownHit(chainOfRow(chains, row), row, { nowMs, spans })];
		}),
	);
}

/** Returns the words of a query: letters and digits of any script, lower case. */
export function searchTerms(query: string): string[] {
	const words =
		query
			.normalize("NFKC")
			.toLowerCase()
			.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
	return [...new Set(words.map((word) => word.slice(0, TERM_LENGTH_MAX)))].slice(0, TERMS_MAX);
}

function placeOf([isExact, volume, id]: string[]): HitPlace {
	return {
		isExact: isExact === "1",
		volume: volume ?? "0",
		id: Math.min(Number(id), INT4_MAX),
	};
}

async function searchProvider(
	context: SearchContext,
	{ text, chains, isOneChain, limit }: AskedSearch,
): Promise<Pick<SearchPage, "data" | "page">> {
	const { core, lists, hitsOf } = context;
	const chainIds = chains.map(({ id }) => id);
	const hits = await lists.search(text, isOneChain ? chainIds[0] : undefined);
	const held = await ownBySlug(core.db, { chainIds, slugs: hits.map(({ slug }) => slug) });
	const ids = held
		.filter(({ excluded }) => !excluded)
		.slice(0, limit)
		.map(({ id }) => id);
	const own = await hitsOf(chains, ids);
	await lists.found(ids);
	const known = new Set(held.map(({ slug }) => slug));
	const strangers = isOneChain ? [] : hits.filter(({ slug }) => !known.has(slug));
	return {
		data: [...own, ...strangers.slice(0, limit - own.length).map(strangerHit)],
		page: { nextCursor: null, hasMore: false },
	};
}

function strangerHit({ slug, name, imageUrl }: ProviderSearchHit): SearchHit {
	return {
		slug,
		chain: null,
		contractAddress: null,
		name,
		imageUrl,
		floorNative: null,
		volume24hNative: null,
		volumeRaw: null,
		volumeCurrency: nativeCurrency,
		sales24h: null,
		ownersCount: null,
		coverage: {},
		source: "provider",
	};
}

function partsOf({ isExact, volume, id }: HitPlace): string[] {
	return [isExact ? "1" : "0", volume, String(id)];
}

function ownHit(
	chain: Chain,
	row: CollectionRow,
	given: { nowMs: number; spans: ChainSpans },
): SearchHit {
	const context = { ...given, window: "24h" } as const;
	const { fields, volume, sales } = renderTrade(chain, row, context);
	const ownersCount = ownersFigure(row, context);
	return {
		...fields,
		contractAddress: row.address,
		volume24hNative: volume.value,
		sales24h: sales.value,
		ownersCount: ownersCount.value,
		coverage: renderPartial({ volume24hNative: volume, sales24h: sales, ownersCount }),
		source: "svc_index",
	};
}
