// Finds collections by words or address, at a bounded cost, and keeps hits for a second.

import { LRUCache } from "lru-cache";
import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import type { SearchHit } from "#plugins/market-index/schemas/lists.ts";
import {
	type AskedSearch,
	type CollectionSearch,
	type Found,
	type HitsOf,
	readHits,
	readSearch,
	type SearchPage,
	type SearchQuery,
} from "#plugins/market-index/search/readSearch.ts";
import {
	COMMON_KEPT_MAX,
	COMMON_KEPT_MS,
	HIT_KEPT_MS,
	HITS_KEPT_MAX,
	type HitPlace,
	ID_MAX,
	LETTERS_MAX,
	LOOKED_AT_MAX,
	LOOKED_AT_STEP,
	type MatchQuery,
	sortMatches,
	walkTraded,
	walkUntraded,
} from "#plugins/market-index/search/sql.ts";

export type Searcher = (query: AskedSearch) => Promise<SearchPage>;

/** Makes a search with its own memory of common words and of hits that were just read. */
export function createSearcher(
	context: Pick<RouteContext, "core" | "lists" | "scanner" | "lookUps">,
): Searcher {
	const { core, lists, lookUps } = context;
	const hitsOf = createHitCache(core.clock, (chains, ids) => readHits(context, chains, ids));
	const searching = { core, lists, lookUps, hitsOf, search: createCollectionSearch(core.clock) };
	return (query) => readSearch(searching, query);
}

/**
 * Makes a search that finds a page of the collections at an address, or whose name or slug has
 * words that begin with all terms: the one whose slug is the query first, then by volume of all
 * time.
 *
 * Its cost is bounded, whatever the index contains. Matches of rare words are all read and sorted.
 * Common words are searched along the order of volume instead: the more collections match, the
 * fewer must be read. To learn that words are common, the index counts all their matches once
 * (without the rows). So one or two letters count as common until shown otherwise, common words are
 * remembered, and a page of either is kept for a second: all users type the same first letters.
 */
export function createCollectionSearch(
	clock: Clock,
	lookedAt = { step: LOOKED_AT_STEP, max: LOOKED_AT_MAX },
): CollectionSearch {
	const commonAtMs = new LRUCache<string, number>({ max: COMMON_KEPT_MAX });
	const pages = new LRUCache<string, { page: Promise<Found>; atMs: number }>({
		max: COMMON_KEPT_MAX,
	});
	return async (db, query) => {
		const { chainIds, terms, address } = query;
		if (terms.length === 0 && address === null) return { hits: [], next: null };
		const key = `${chainIds.join(",")} ${terms.join(" ")}`;
		const isCommon = isWithin(commonAtMs.get(key), COMMON_KEPT_MS);
		const isLetters = terms.every((term) => [...term].length <= LETTERS_MAX);
		if (address !== null || (!isCommon && !isLetters)) return sortOrWalk(db, query, key);
		return kept(JSON.stringify(query), async () => {
			const found = await walk(
				db,
				query,
				isCommon ? lookedAt : { ...lookedAt, max: lookedAt.step },
			);
			if (isCommon || found.next === null || found.hits.length >= query.limit) return found;
			return sortOrWalk(db, query, key);
		});
	};

	async function sortOrWalk(db: Queryable, query: SearchQuery, key: string): Promise<Found> {
		const hits = await sortMatches(db, query);
		if (hits) return { hits, next: hits.length < query.limit ? null : lastOf(hits) };
		commonAtMs.set(key, clock.nowMs());
		return walk(db, query, lookedAt);
	}

	function kept(key: string, find: () => Promise<Found>): Promise<Found> {
		const known = pages.get(key);
		if (known && isWithin(known.atMs, HIT_KEPT_MS)) return known.page;
		const page = find();
		pages.set(key, { page, atMs: clock.nowMs() });
		page.catch(() => pages.delete(key));
		return page;
	}

	function isWithin(atMs: number | undefined, ms: number): boolean {
		const ageMs = clock.nowMs() - (atMs ?? Number.NaN);
		return ageMs >= 0 && ageMs < ms;
	}
}

/**
 * Makes a cache that keeps each hit for a second. While a user types, one query after the other
 * finds the same collections, and their figures are most of the cost of a search.
 */
export function createHitCache(
	clock: Clock,
	read: (chains: readonly Chain[], ids: readonly number[]) => Promise<Map<number, SearchHit>>,
): HitsOf {
	const kept = new LRUCache<number, { hit: SearchHit; readAtMs: number }>({ max: HITS_KEPT_MAX });
	return async (chains, collectionIds) => {
		const nowMs = clock.nowMs();
		const hits = new Map<number, SearchHit>();
		for (const id of collectionIds) {
			const known = kept.get(id);
			const ageMs = known ? nowMs - known.readAtMs : Number.NaN;
			if (known && ageMs >= 0 && ageMs < HIT_KEPT_MS) hits.set(id, known.hit);
		}
		const missing = collectionIds.filter((id) => !hits.has(id));
		if (missing.length > 0) {
			for (const [id, hit] of await read(chains, missing)) {
				hits.set(id, hit);
				kept.set(id, { hit, readAtMs: nowMs });
			}
		}
		return collectionIds.flatMap((id) => hits.get(id) ?? []);
	};
}

/** Continues from place to place until the page is full, or enough were read. */
async function walk(
	db: Queryable,
	query: MatchQuery,
	lookedAt: { step: number; max: number },
): Promise<Found> {
	const { limit } = query;
	const candidates = lookedAt.step;
	const hits: HitPlace[] = [];
	let next: HitPlace | null = query.after;
	for (let seen = 0; seen < lookedAt.max; seen += candidates) {
		const asked = { ...query, after: next, limit: limit - hits.length, candidates };
		const found = await walkOnce(db, asked);
		hits.push(...found.hits);
		next = found.next;
		if (next === null || hits.length >= limit) break;
	}
	return { hits, next };
}

/** Returns matches in the order of volume: among those that traded, then among the others. */
async function walkOnce(db: Queryable, query: MatchQuery & { candidates: number }): Promise<Found> {
	const { after, limit, candidates } = query;
	const hits: HitPlace[] = [];
	const isBelowTraded = after !== null && !after.isExact && BigInt(after.volume) === 0n;
	if (!isBelowTraded) {
		const traded = await walkTraded(db, query);
		hits.push(...traded.hits);
		if (hits.length >= limit) return { hits, next: lastOf(hits) };
		if (traded.lastClass !== null) return { hits, next: endOf(traded.lastClass) };
	}
	const untraded = await walkUntraded(db, {
		...query,
		afterId: isBelowTraded ? after.id : 0,
		limit: limit - hits.length,
		candidates,
	});
	hits.push(...untraded.hits);
	if (hits.length >= limit) return { hits, next: lastOf(hits) };
	const { lastId } = untraded;
	return { hits, next: lastId === null ? null : { isExact: false, volume: "0", id: lastId } };
}

function lastOf(hits: readonly HitPlace[]): HitPlace | null {
	return hits.at(-1) ?? null;
}

/**
 * Returns the place after all volumes of a step: after its least one. Step 193 is 3 times 10^18.
 */
function endOf(volumeClass: number): HitPlace {
	const digits = Math.floor(volumeClass / 10);
	const volume = `${volumeClass % 10}${"0".repeat(digits - 1)}`;
	return { isExact: false, volume, id: ID_MAX };
}
