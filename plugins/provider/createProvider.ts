// Makes the provider's client, with its calls about collections: lists, search, figures, traits.

import { createHash } from "node:crypto";
import type { Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import { createClient } from "#plugins/provider/client/createClient.ts";
import {
	chainName,
	createReader,
	pageLimit,
	type Reader,
} from "#plugins/provider/client/createReader.ts";
import { orderMethods, tokenMethods, tradeMethods } from "#plugins/provider/client/orders.ts";
import type { Provider, ProviderPageOptions, ProviderStream } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import {
	COLLECTIONS_PER_PAGE_MAX,
	PROVIDER_ID,
	SEARCH_HITS_MAX,
	SEARCH_LENGTH_MAX,
	TOP_PER_PAGE_MAX,
} from "#plugins/provider/limits.ts";
import { createBlocks, createPacer } from "#plugins/provider/pace/createPacer.ts";
import {
	readCollection,
	readCollectionDetail,
	readSearchHit,
	readStats,
	readTraitCounts,
	readTraitFloor,
} from "#plugins/provider/wire/collections.ts";
import { type ChainNames, createChainNames, type Reading } from "#plugins/provider/wire/rows.ts";
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

/** The stream where there is none: nothing is ever pushed, and nothing can be missed. */
export const offStream: ProviderStream = {
	state: () => "off",
	follow() {},
	onPushes() {},
	onGap() {},
};

/**
 * The provider of a deployment without one. It is registered all the same, so that plugins which
 * need one can start and ask `isOn`, which costs nothing.
 */
export const offProvider: Provider = {
	id: PROVIDER_ID,
	isOn: false,
	isConnected: () => null,
	stream: offStream,
	newest: off,
	trending: off,
	top: off,
	search: off,
	slugOf: off,
	collection: off,
	stats: off,
	traits: off,
	traitFloors: off,
	events: off,
	listings: off,
	bestListings: off,
	bestListing: off,
	offers: off,
	order: off,
	nft: off,
	nfts: off,
	drops: off,
	drop: off,
	listingFulfilment: off,
};

/** Makes the marketplace provider over HTTP. It makes no call until it is asked. */
export function createProvider(options: {
	core: Pick<Core, "budget" | "chains" | "clock" | "log" | "metrics">;
	baseUrl: string;
	apiKey?: string | undefined;
	stream: ProviderStream;
	/** Aborts when the service ends: waiting calls and those under way end with it. */
	ending?: AbortSignal;
	fetch?: typeof fetch;
	wait?: typeof sleep;
	timeoutMs?: number;
}): Provider {
	const { core, baseUrl, apiKey, stream, wait = sleep } = options;
	const { budget, clock } = core;
	const blocks = createBlocks(clock);
	const pacer = createPacer({ budgetName: nameOf(baseUrl, apiKey), budget, blocks, clock, wait });
	const client = createClient({ ...options, ...core, pacer, blocks });
	const reader = createReader(client);
	const chains = createChainNames(core.chains);
	return {
		id: PROVIDER_ID,
		isOn: true,
		isConnected: client.isConnected,
		stream,
		...collectionMethods(reader, chains),
		...orderMethods(reader, chains),
		...tokenMethods(reader, chains),
		...tradeMethods(reader, chains),
	};
}

/** Names the budget of a key at a URL; the key cannot be read from it. */
function nameOf(baseUrl: string, apiKey = ""): string {
	const hash = createHash("sha256").update(`${baseUrl}\n${apiKey}`).digest("hex");
	return `provider:${hash.slice(0, 16)}`;
}

async function off(): Promise<never> {
	throw providerFault.off();
}

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
