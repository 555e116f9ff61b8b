import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { createCollectionSearch } from "#plugins/market-index/search/createCollectionSearch.ts";
import { createHitCache } from "#plugins/market-index/search/createHitCache.ts";
import { readHits } from "#plugins/market-index/search/readHits.ts";
import {
	type AskedSearch,
	readSearch,
	type SearchPage,
} from "#plugins/market-index/search/readSearch.ts";

export type Searcher = (query: AskedSearch) => Promise<SearchPage>;

/** Makes a search with its own memory of common words and of hits that were just read. */
export function createSearcher(
	context: Pick<RouteContext, "core" | "lists" | "scanner">,
): Searcher {
	const { core, lists } = context;
	const hitsOf = createHitCache(core.clock, (chains, ids) => readHits(context, chains, ids));
	const searching = { core, lists, hitsOf, search: createCollectionSearch(core.clock) };
	return (query) => readSearch(searching, query);
}
