import type { Collection, Metadata } from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";

export type Nft = Record<string, unknown>;

/** Renders a token for lists and events. */
export function renderNft(
	office: Office,
	collection: Collection,
	token: { id: bigint; metadata: Metadata | undefined },
): Nft {
	const { facts, slug, createdS } = collection;
	const { id, metadata } = token;
	return {
		identifier: String(id),
		collection: slug,
		contract: facts.address,
		token_standard: facts.standard,
		...(metadata?.name != null && { name: metadata.name }),
		...(metadata?.description != null && { description: metadata.description }),
		...(metadata?.image != null && { image_url: metadata.image }),
		...(metadata?.uri.startsWith("http") && { metadata_url: metadata.uri }),
		opensea_url: `${office.publicUrl}/item/${CHAIN}/${facts.address}/${id}`,
		updated_at: new Date(createdS * 1_000).toISOString(),
		is_disabled: false,
		is_nsfw: false,
		traits: (metadata?.traits ?? []).map(({ type, value }) => ({ trait_type: type, value })),
	};
}

/** Renders several tokens of one collection; reads their metadata together. */
export async function renderNfts(
	office: Office,
	collection: Collection,
	ids: readonly bigint[],
): Promise<Nft[]> {
	const metadata = await office.metadata.of(collection, ids);
	return ids.map((id, n) => renderNft(office, collection, { id, metadata: metadata[n] }));
}

/** Renders a token for its own page: with its owners. */
export function renderDetailed(nft: Nft, collection: Collection, id: bigint): Nft {
	const { facts } = collection;
	return {
		...nft,
		...("image_url" in nft && { display_image_url: nft["image_url"] }),
		is_suspicious: false,
		creator: facts.owner ?? facts.address,
		owners: ownersOf(collection, id),
	};
}

export function ownersOf(collection: Collection, id: bigint): Record<string, unknown>[] {
	return [...(collection.holders.get(id) ?? [])].map(([address, units]) => ({
		address,
		quantity: Number(units),
		quantity_string: String(units),
	}));
}
