import type { ProviderNft } from "#plugins/provider/contract.ts";
import { TRAITS_PER_TOKEN_MAX } from "#plugins/provider/limits.ts";
import type { Place } from "#plugins/provider/stream/read/readPlace.ts";
import { streamWire } from "#plugins/provider/stream/wire/streamWire.ts";
import { readTrait } from "#plugins/provider/wire/readTrait.ts";

/** Reads the event's token, as far as the event describes it; null where it is about none. */
export function readItem({ chainId, token, metadata }: Place, slug: string): ProviderNft | null {
	if (!token) return null;
	const told = streamWire.metadata.safeParse(metadata ?? {}).data;
	const traits = (told?.traits ?? []).slice(0, TRAITS_PER_TOKEN_MAX);
	return {
		chainId,
		...token,
		standard: null,
		collectionSlug: slug,
		name: told?.name ?? null,
		description: told?.description ?? null,
		imageUrl: told?.image_url ?? null,
		animationUrl: told?.animation_url ?? null,
		metadataUrl: told?.metadata_url ?? null,
		traits: traits.flatMap((trait) => readTrait(trait) ?? []),
		rank: null,
	};
}
