import { cleanProse } from "#core/outside/cleanProse.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/limits.ts";
import { DESCRIPTION_LENGTH_MAX } from "#plugins/market-index/tokens/limits.ts";
import { storableTraits } from "#plugins/market-index/tokens/storableTraits.ts";
import type { TokenDocument } from "#plugins/market-index/tokens/TokenDocument.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";

type Told = Omit<TokenDocument, "traits"> & { traits: readonly ProviderTrait[] | null };

/**
 * Allowed schemes of a media URL. Its source has checked the rest (`cleanUrl`): only the reader of
 * documents knows the operator's own gateways.
 */
const MEDIA_SCHEMES = /^(https?:\/\/|ipfs:\/\/|ar:\/\/|data:(image|video|audio)\/)/i;

/**
 * Returns a document in a form that the database accepts: with bounded lengths and characters,
 * whatever its source.
 */
export function storableDocument(told: Told): TokenDocument {
	return {
		name: cleanName(told.name),
		description: cleanProse(told.description, { lengthMax: DESCRIPTION_LENGTH_MAX }),
		imageUrl: mediaOf(told.imageUrl),
		animationUrl: mediaOf(told.animationUrl),
		traits: told.traits === null ? null : storableTraits(told.traits),
	};
}

function mediaOf(url: string | null): string | null {
	if (url === null || url.length > IMAGE_LENGTH_MAX || !MEDIA_SCHEMES.test(url)) return null;
	return url.includes("\u0000") ? null : url.toWellFormed();
}
