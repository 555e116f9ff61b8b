import type { ProviderSearchHit } from "#plugins/provider/contract.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** Reads a collection that a search found; other kinds of hits are `elsewhere`. */
export function readSearchHit(row: unknown): Reading<ProviderSearchHit> {
	const { data } = wire.searchResult.safeParse(row);
	if (!data) return "unreadable";
	if (data.type !== "collection") return "elsewhere";
	const hit = wire.searchCollection.safeParse(data.collection).data;
	if (!hit?.collection) return "unreadable";
	return {
		slug: hit.collection,
		name: hit.name,
		imageUrl: hit.image_url,
		isDisabled: hit.is_disabled ?? false,
	};
}
