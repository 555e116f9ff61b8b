import { IMAGE_LENGTH_MAX } from "#plugins/market-index/limits.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import { DESCRIPTION_LENGTH_MAX } from "#plugins/market-index/tokens/limits.ts";
import { storableTraits } from "#plugins/market-index/tokens/storableTraits.ts";
import type { TokenDocument } from "#plugins/market-index/tokens/TokenDocument.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";

type Told = Omit<TokenDocument, "traits"> & { traits: readonly ProviderTrait[] | null };

/** Schemes that may stand in a media URL; a browser must never be handed `javascript:`. */
const MEDIA_SCHEMES = /^(https?:\/\/|ipfs:\/\/|ar:\/\/|data:(image|video|audio)\/)/i;

/** A document as far as the database takes it: whoever told it, lengths and letters are bounded. */
export function storableDocument(told: Told): TokenDocument {
	return {
		name: cleanName(told.name),
		description: textOf(told.description),
		imageUrl: mediaOf(told.imageUrl),
		animationUrl: mediaOf(told.animationUrl),
		traits: told.traits === null ? null : storableTraits(told.traits),
	};
}

function textOf(text: string | null): string | null {
	if (text === null) return null;
	const kept = text.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed().replaceAll("\u0000", "\ufffd");
	return kept.trim() === "" ? null : kept;
}

function mediaOf(url: string | null): string | null {
	if (url === null || url.length > IMAGE_LENGTH_MAX || !MEDIA_SCHEMES.test(url)) return null;
	return url.includes("\u0000") ? null : url.toWellFormed();
}
