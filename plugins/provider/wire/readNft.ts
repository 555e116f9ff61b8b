import type { ProviderNft } from "#plugins/provider/contract.ts";
import { TRAITS_PER_TOKEN_MAX } from "#plugins/provider/limits.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { readTrait } from "#plugins/provider/wire/readTrait.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/**
 * Reads a token. No documented member names its chain, so a caller that asked for a chain or reads
 * an event of one passes it as `chainId`; null where it is unknown.
 */
export function readNft(
	row: unknown,
	{ chainId }: { chainId: number | null },
): Reading<ProviderNft> {
	const { data } = wire.nftDetail.safeParse(row);
	if (!data || data.identifier === null) return "unreadable";
	// Tokens of other kinds of chains have contracts of other shapes.
	if (data.contract === null) return "elsewhere";
	return {
		chainId,
		contract: data.contract,
		tokenId: data.identifier,
		standard: standardOf(data.token_standard),
		collectionSlug: data.collection,
		name: data.name,
		description: data.description,
		imageUrl: data.image_url ?? data.display_image_url,
		animationUrl: data.animation_url ?? data.display_animation_url,
		metadataUrl: data.metadata_url,
		traits: (data.traits ?? []).slice(0, TRAITS_PER_TOKEN_MAX).flatMap((trait) => {
			return readTrait(trait) ?? [];
		}),
		rank: wire.rarity.safeParse(data.rarity).data?.rank || null,
	};
}

function standardOf(text: string | null): ProviderNft["standard"] {
	const standard = text?.toLowerCase().replace("-", "");
	return standard === "erc721" || standard === "erc1155" ? standard : null;
}
