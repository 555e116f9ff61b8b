// Calls the provider about collections: lists, search, figures, traits.

import { chainName, pageLimit, type Reader } from "#plugins/provider/client/createReader.ts";
import type { Provider, ProviderPageOptions } from "#plugins/provider/contract.ts";
import {
	COLLECTIONS_PER_PAGE_MAX,
	SEARCH_HITS_MAX,
	SEARCH_LENGTH_MAX,
	TOP_PER_PAGE_MAX,
} from "#plugins/provider/limits.ts";
import {
	readCollection,
	readCollectionDetail,
	readSearchHit,
	readStats,
	readTraitCounts,
	readTraitFloor,
} from "#plugins/provider/wire/collections.ts";
import type { ChainNames, Reading } from "#plugins/provider/wire/rows.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

type CollectionMethods = Pick<
	Provider,
	| "newest"
	| "trending"
	| "top"
	| "search"
	| "slugOf"
	| "collection"
	| "stats"
	| "traits"
	| "traitFloors"
>;

/** Returns the methods about collections. */
export function collectionMethods(reader: Reader, chains: ChainNames): CollectionMethods {
	const list = { list: "collections", read: (row: unknown) => readCollection(row, chains) };
	const nameOf = (chainId: number | undefined) =>
		chainId === undefined ? undefined : chainName(chains, chainId);
	const ranked = (
		kind: "trending" | "top",
		options: ProviderPageOptions & { chainId?: number },
	) => ({
		endpoint: kind,
		segments: ["collections", kind],
		options,
		query: { chains: nameOf(options.chainId), cursor: options.cursor },
	});
	return {
		newest: (options) =>
			reader.page(
				{
					endpoint: "collections",
					segments: ["collections"],
					query: {
						order_by: "created_date",
						chain: nameOf(options.chainId),
						limit: pageLimit(options.limit, COLLECTIONS_PER_PAGE_MAX),
						next: options.cursor,
					},
					options,
				},
				list,
			),
		trending(options) {
			const call = ranked("trending", options);
			const limit = pageLimit(options.limit, COLLECTIONS_PER_PAGE_MAX);
			const query = { ...call.query, timeframe: options.timeframe ?? "one_day", limit };
			return reader.page({ ...call, query }, list);
		},
		top(options) {
			const call = ranked("top", options);
			const limit = pageLimit(options.limit, TOP_PER_PAGE_MAX);
			return reader.page(
				{ ...call, query: { ...call.query, sort_by: "one_day_volume", limit } },
				list,
			);
		},
		async search(text, options) {
			const query = {
				query: text.toWellFormed().slice(0, SEARCH_LENGTH_MAX),
				asset_types: "collection",
				chains: nameOf(options.chainId),
				limit: pageLimit(options.limit, SEARCH_HITS_MAX),
			};
			const call = { endpoint: "search", segments: ["search"], query, options };
			const found = await reader.rows(call, { list: "results", read: readSearchHit });
			return found?.items ?? [];
		},
		async slugOf(contract, options) {
			const segments = ["chain", chainName(chains, contract.chainId), "contract", contract.address];
			const found = await reader.one({ endpoint: "contract", segments, options }, readContractInfo);
			return found?.slug ?? null;
		},
		collection: (slug, options) =>
			reader.one({ endpoint: "collection", segments: ["collections", slug], options }, (json) =>
				readCollectionDetail(json, chains),
			),
		stats: (slug, options) =>
			reader.one(
				{ endpoint: "stats", segments: ["collections", slug, "stats"], options },
				readStats,
			),
		traits: (slug, options) =>
			reader.one({ endpoint: "traits", segments: ["traits", slug], options }, readTraitCounts),
		async traitFloors(slug, options) {
			const call = { endpoint: "trait_floors", segments: ["traits", slug, "floors"], options };
			const found = await reader.rows(call, { list: "floors", read: readTraitFloor });
			return found?.items ?? null;
		},
	};
}

/** Reads an answer about a contract, which may be known without a collection yet. */
function readContractInfo(json: unknown): Reading<{ slug: string | null }> {
	const { data } = wire.contractInfo.safeParse(json);
	return data ? { slug: data.collection } : "unreadable";
}
