import { cleanUrl } from "#core/outside/cleanUrl.ts";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/limits.ts";
import { arweavePathOf } from "#plugins/market-index/metadata/tokenUri/arweavePathOf.ts";
import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import { ipfsPathOf } from "#plugins/market-index/metadata/tokenUri/ipfsPathOf.ts";

/** Keeps https only: a page served over https shows nothing else. */
const SECURE = /^(https:\/\/|data:)/i;
/** Would end an attribute or a header that is not escaped. */
const UNSAFE = /[\p{Cc}\s"'<>`\\]/gu;

/**
 * Returns a media URL that a browser may be given: https, a gateway's URL for IPFS and Arweave, or
 * a `data:` URI of at most 32 KB. Never `javascript:`, `http:` or a document. Null for any other.
 */
export function displayUrl(given: string, gateways: Gateways): string | null {
	const text = given.trim().toWellFormed();
	if (text.length > IMAGE_LENGTH_MAX) return null;
	// Drawings may span several lines; a URL may not.
	if (!/^data:/i.test(text) && /\p{Cc}/u.test(text)) return null;
	const url = text.replace(UNSAFE, (character) =>
		encodeURIComponent(character).replace("'", "%27"),
	);
	const [first] = gateways.ipfs;
	const shown = gateways.ipfs.find((gateway) => gateway.startsWith("https:")) ?? first;
	const path = ipfsPathOf(url);
	const transaction = path === null ? arweavePathOf(url) : null;
	if (path !== null && shown !== undefined) return bounded(shown + path);
	if (transaction !== null) return bounded(gateways.arweave + transaction);
	const clean = cleanUrl(url, "media", { lengthMax: IMAGE_LENGTH_MAX });
	return clean !== null && SECURE.test(clean) ? bounded(clean) : null;
}

function bounded(url: string): string | null {
	return url.length <= IMAGE_LENGTH_MAX ? url : null;
}
