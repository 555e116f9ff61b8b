// Cuts tokens' metadata down to what may be stored and shown.

import { cleanProse, cleanUrl } from "#core/outside.ts";
import { cleanName, IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	COVERED_SHARE_PERCENT,
	DESCRIPTION_LENGTH_MAX,
	TOKEN_TRAITS_MAX,
	type TokenDocument,
	type TokenTrait,
	TRAIT_TEXT_MAX,
	URI_LENGTH_MAX,
} from "#plugins/market-index/tokens/model.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";

type Told = Omit<TokenDocument, "traits"> & { traits: readonly ProviderTrait[] | null };

/**
 * Allowed schemes of a media URL. Its source has checked the rest (`cleanUrl`): only the reader of
 * documents knows the operator's own gateways.
 */
const MEDIA_SCHEMES = /^(https?:\/\/|ipfs:\/\/|ar:\/\/|data:(image|video|audio)\/)/i;

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Says whether so many tokens are about all there are. A few may be unreadable for good, and must
 * not keep the others without a rank; with an unknown supply, what is there is all.
 */
export function coversSupply(tokens: number, supply: string | null): boolean {
	return supply === null || tokens * 100 >= Number(supply) * COVERED_SHARE_PERCENT;
}

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

/**
 * Returns traits fit to be stored, counted and shown: one line each, no pair twice, so that
 * counting rows counts tokens. An empty value stays: it means that there is none.
 */
export function storableTraits(
	traits: readonly { type: string; value: string; displayType?: string | null | undefined }[],
): TokenTrait[] {
	const kept = new Map<string, TokenTrait>();
	for (const { type, value, displayType } of traits) {
		if (kept.size === TOKEN_TRAITS_MAX) break;
		const name = textOf(type);
		if (name === "") continue;
		const text = textOf(value);
		const trait: TokenTrait = { type: name, value: text };
		const shownAs = displayType ? textOf(displayType) : "";
		if (shownAs !== "") trait.displayType = shownAs;
		// The separator is in neither text: both are clean.
		const key = `${name}\u0000${text}`;
		if (!kept.has(key)) kept.set(key, trait);
	}
	return [...kept.values()];
}

/**
 * Returns the URI of a document that could not be read, as far as it may be shown. A document that
 * was read came from a public server, or from one that the operator named; for this URI that is not
 * known.
 */
export function shownUri(uri: string): string | null {
	const text = storableUri(uri);
	if (/^data:/i.test(text)) return text;
	return cleanUrl(text, "media", { lengthMax: URI_LENGTH_MAX });
}

/**
 * Returns the URI of a document that was read, as it is stored. Of a `data:` URI that is the part
 * before the data: the document itself is stored already, and the hash shows whether it changed.
 */
export function storableUri(uri: string): string {
	const told = /^data:/i.test(uri) ? uri.slice(0, uri.indexOf(",") + 1) : uri;
	const text = told.slice(0, URI_LENGTH_MAX).toWellFormed();
	return text.replace(HIDDEN, encodeURIComponent).slice(0, URI_LENGTH_MAX);
}

function mediaOf(url: string | null): string | null {
	if (url === null || url.length > IMAGE_LENGTH_MAX || !MEDIA_SCHEMES.test(url)) return null;
	return url.includes("\u0000") ? null : url.toWellFormed();
}

function textOf(text: string): string {
	const clean = cleanName(text) ?? "";
	if (clean.length <= TRAIT_TEXT_MAX) return clean;
	return [...clean].slice(0, TRAIT_TEXT_MAX).join("").trimEnd();
}
