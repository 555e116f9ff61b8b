import { cleanUrl } from "#core/outside/cleanUrl.ts";
import { URI_LENGTH_MAX } from "#plugins/market-index/tokens/limits.ts";

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Returns the URI of a document that was read, as it is stored. Of a `data:` URI that is the part
 * before the data: the document itself is stored already, and the hash shows whether it changed.
 */
export function storableUri(uri: string): string {
	const told = /^data:/i.test(uri) ? uri.slice(0, uri.indexOf(",") + 1) : uri;
	const text = told.slice(0, URI_LENGTH_MAX).toWellFormed();
	return text.replace(HIDDEN, encodeURIComponent).slice(0, URI_LENGTH_MAX);
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
