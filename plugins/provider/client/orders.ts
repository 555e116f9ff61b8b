// Calls the provider about orders, tokens, drops, events, and the filling of listings.

import { chainName, pageLimit, type Reader } from "#plugins/provider/client/createReader.ts";
import type {
	Provider,
	ProviderEventType,
	ProviderNft,
	ProviderOrder,
	ProviderPageOptions,
} from "#plugins/provider/contract.ts";
import { COLLECTIONS_PER_PAGE_MAX, ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import { readDrop } from "#plugins/provider/wire/collections.ts";
import { readEvent, readNft } from "#plugins/provider/wire/events.ts";
import { readFulfilment, readOrder } from "#plugins/provider/wire/orders.ts";
import { type ChainNames, type Reading, wireField } from "#plugins/provider/wire/rows.ts";
import { eventTimeMs } from "#plugins/provider/wire/wire.ts";

type OrderMethods = Pick<
	Provider,
	"listings" | "bestListings" | "bestListing" | "offers" | "order"
>;

type TokenMethods = Pick<Provider, "nft" | "nfts" | "drops" | "drop">;

/** Cancellations have no type of their own: they come by the stream, or show in the book. */
const EVENT_TYPES: Readonly<Record<ProviderEventType, string>> = {
	sale: "sale",
	transfer: "transfer",
	mint: "mint",
	listing: "listing",
	item_offer: "offer",
	collection_offer: "collection_offer",
	trait_offer: "trait_offer",
};

/** Returns the methods about the order book. */
export function orderMethods(reader: Reader, chains: ChainNames): OrderMethods {
	const book = (
		asked: { endpoint: string; segments: readonly string[]; side: ProviderOrder["side"] },
		options: ProviderPageOptions,
	) => {
		const { endpoint, segments, side } = asked;
		const limit = pageLimit(options.limit, ROWS_PER_PAGE_MAX);
		return reader.page(
			{ endpoint, segments, query: { limit, next: options.cursor }, options },
			{ list: `${side}s`, read: (row: unknown) => readOrder(row, { chains, side }) },
		);
	};
	return {
		listings: (slug, options) =>
			book(
				{
					endpoint: "listings",
					segments: ["listings", "collection", slug, "all"],
					side: "listing",
				},
				options,
			),
		bestListings: (slug, options) =>
			book(
				{
					endpoint: "best_listings",
					segments: ["listings", "collection", slug, "best"],
					side: "listing",
				},
				options,
			),
		offers: (slug, options) =>
			book(
				{ endpoint: "offers", segments: ["offers", "collection", slug, "all"], side: "offer" },
				options,
			),
		bestListing(slug, tokenId, options) {
			const segments = ["listings", "collection", slug, "nfts", String(tokenId), "best"];
			return reader.one({ endpoint: "best_listing", segments, options }, (json) =>
				isNothing(json) ? "elsewhere" : readOrder(json, { chains, side: "listing" }),
			);
		},
		order({ chainId, protocolAddress, orderHash }, options) {
			const place = ["chain", chainName(chains, chainId), "protocol", protocolAddress, orderHash];
			return reader.one(
				{ endpoint: "order", segments: ["orders", ...place], options },
				(json): Reading<ProviderOrder> => {
					const envelope = wireField.record.parse(json);
					return envelope ? readOrder(envelope.order, { chains }) : "unreadable";
				},
			);
		},
	};
}

/** Returns the methods about tokens and drops. */
export function tokenMethods(reader: Reader, chains: ChainNames): TokenMethods {
	return {
		nft({ chainId, address, tokenId }, options) {
			const contract = ["chain", chainName(chains, chainId), "contract", address];
			const segments = [...contract, "nfts", String(tokenId)];
			return reader.one({ endpoint: "nft", segments, options }, (json): Reading<ProviderNft> => {
				const envelope = wireField.record.parse(json);
				return envelope ? readNft(envelope.nft, { chainId }) : "unreadable";
			});
		},
		nfts(of, options) {
			const limit = pageLimit(options.limit, ROWS_PER_PAGE_MAX);
			const query = { limit, next: options.cursor };
			// `collection` is singular, unlike in all other paths of a collection.
			const segments =
				"slug" in of
					? ["collection", of.slug, "nfts"]
					: ["chain", chainName(chains, of.chainId), "contract", of.address, "nfts"];
			const chainId = "slug" in of ? null : of.chainId;
			const rows = { list: "nfts", read: (row: unknown) => readNft(row, { chainId }) };
			return reader.page({ endpoint: "nfts", segments, query, options }, rows);
		},
		drops: (options) =>
			reader.page(
				{
					endpoint: "drops",
					segments: ["drops"],
					query: {
						type: options.type,
						chains: options.chainId === undefined ? undefined : chainName(chains, options.chainId),
						limit: pageLimit(options.limit, COLLECTIONS_PER_PAGE_MAX),
						cursor: options.cursor,
					},
					options,
				},
				{ list: "drops", read: (row: unknown) => readDrop(row, chains) },
			),
		drop: (slug, options) =>
			reader.one({ endpoint: "drop", segments: ["drops", slug], options }, (json) =>
				readDrop(json, chains),
			),
	};
}

/** Returns the methods that read events and that fill an order. */
export function tradeMethods(
	reader: Reader,
	chains: ChainNames,
): Pick<Provider, "events" | "listingFulfilment"> {
	return {
		events: (slug, options) =>
			reader.page(
				{
					endpoint: "events",
					segments: ["events", "collection", slug],
					query: {
						after: seconds(options.afterMs, Math.floor),
						before: seconds(options.beforeMs, Math.ceil),
						event_type: options.types?.map((type) => EVENT_TYPES[type]),
						limit: pageLimit(options.limit, ROWS_PER_PAGE_MAX),
						next: options.cursor,
					},
					options,
				},
				{
					list: "asset_events",
					read: (row: unknown) => readEvent(row, chains),
					timeOf: eventTimeMs,
				},
			),
		listingFulfilment: (listing, options) =>
			reader.one(
				{
					endpoint: "listing_fulfilment",
					segments: ["listings", "fulfillment_data"],
					body: fulfilmentBody(listing, chainName(chains, listing.chainId)),
					options,
				},
				(json) => readFulfilment(json, chains),
			),
	};
}

/** Says whether an answer means "no listing": besides a 404, that is one without any member. */
function isNothing(json: unknown): boolean {
	const record = wireField.record.parse(json);
	return json === null || (record !== null && Object.keys(record).length === 0);
}

function seconds(ms: number | undefined, round: (value: number) => number): number | undefined {
	return ms === undefined ? undefined : Math.max(round(ms / 1_000), 0);
}

function fulfilmentBody(
	listing: Parameters<Provider["listingFulfilment"]>[0],
	chain: string,
): Record<string, unknown> {
	const { orderHash, protocolAddress, fulfiller, recipient, token, units } = listing;
	return {
		listing: { hash: orderHash, chain, protocol_address: protocolAddress },
		fulfiller: { address: fulfiller },
		...(recipient === undefined ? {} : { recipient }),
		...(token === undefined
			? {}
			: {
					consideration: {
						asset_contract_address: token.contract,
						token_id: String(token.tokenId),
					},
				}),
		// An integer in the document; no order has more units than a double can count.
		...(units === undefined ? {} : { units_to_fill: Number(units) }),
	};
}
