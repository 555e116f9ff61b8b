import type { Collection } from "#plugins/market-index/schemas/collectionSchema.ts";
import type { RawCollection } from "#plugins/market-index/schemas/rawCollectionSchema.ts";

/** Renders a row of our own in the provider's form, for clients that read `data.collections`. */
export function renderRawCollection(collection: Collection): RawCollection {
	return {
		collection: collection.slug,
		name: collection.name,
		image_url: collection.imageUrl,
		contracts: [{ address: collection.contractAddress, chain: collection.chain }],
		source: "svc_index",
	};
}
