import type { Reader } from "#plugins/provider/client/createReader.ts";
import type { Provider, ProviderOrder, ProviderPageOptions } from "#plugins/provider/contract.ts";
import { ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import { chainName } from "#plugins/provider/methods/chainName.ts";
import { pageLimit } from "#plugins/provider/methods/pageLimit.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { readOrder } from "#plugins/provider/wire/readOrder.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

type OrderMethods = Pick<
	Provider,
	"listings" | "bestListings" | "bestListing" | "offers" | "order"
>;

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

/** Says whether an answer means "no listing": besides a 404, that is one without any member. */
function isNothing(json: unknown): boolean {
	const record = wireField.record.parse(json);
	return json === null || (record !== null && Object.keys(record).length === 0);
}
