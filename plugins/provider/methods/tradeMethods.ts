import type { Reader } from "#plugins/provider/client/createReader.ts";
import type { Provider, ProviderEventType } from "#plugins/provider/contract.ts";
import { ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import { chainName } from "#plugins/provider/methods/chainName.ts";
import { pageLimit } from "#plugins/provider/methods/pageLimit.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import { eventTimeMs } from "#plugins/provider/wire/eventTimeMs.ts";
import { readEvent } from "#plugins/provider/wire/readEvent.ts";
import { readFulfilment } from "#plugins/provider/wire/readFulfilment.ts";

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
