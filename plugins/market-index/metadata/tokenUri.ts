// Finds where the document of a URI can be read, and limits its size.

import { cleanUrl } from "#core/outside.ts";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/metadataJobs.ts";

/** Holds gateways for content without a server of its own: URLs without a slash at their end. */
export type Gateways = { ipfs: readonly string[]; arweave: string };

/** Holds one URL at which a document may be; `gateway` is set where it is one of the operator's. */
export type Candidate = { url: string; gateway: string | null };

type UriPlan =
	/** The document is in the URI: these texts, the likeliest first. */
	| { kind: "held"; texts: string[] }
	/** The document is at one of these places, the best first. */
	| { kind: "fetched"; candidates: Candidate[] }
	| { kind: "unusable" };

const TRANSACTION = /^\/?[A-Za-z0-9_-]{43}$/;

/** The size of one document, after decompression. */
export const DOCUMENT_BYTES_MAX = 1_000_000;

/** Limits of a document's JSON before it is parsed: nesting, and commas outside texts. */
export const DOCUMENT_DEPTH_MAX = 64;
export const DOCUMENT_VALUES_MAX = 20_000;

/** Characters before the comma of a `data:` URI. */
const DATA_HEAD_LENGTH_MAX = 512;

/** Characters of a `data:` URI; a base64 document of the size above, percent-encoded, fits. */
const DATA_URI_LENGTH_MAX = 3_000_000;

/** Characters of a URI that points elsewhere. */
const URL_LENGTH_MAX = 2_048;

/** The time for one attempt at one server, and for all attempts at one document. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
export const DOCUMENT_TIMEOUT_MS = 25_000;

/** Gateways that the operator may name. */
export const GATEWAYS_MAX = 8;

/** Attributes read of one document, and characters of its texts. */
export const ATTRIBUTES_MAX = 512;
export const DESCRIPTION_LENGTH_MAX = 4_096;

/** The distance between requests to a host that complains: at first, and at most. */
export const HOST_GAP_FIRST_MS = 20;
export const HOST_GAP_MAX_MS = 2_000;
/** The pause of such a host where it states none. */
export const HOST_PAUSE_FIRST_MS = 1_000;
/** A request that would wait longer for a place is refused, and others go on. */
export const HOST_WAIT_MAX_MS = 5_000;
/** Hosts whose pace is remembered; the one that complained longest ago is forgotten first. */
export const HOSTS_PACED_MAX = 1_000;

/** CIDs: version 0, and version 1 in base32, base36, base58 or base16. */
const CID =
	/^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,110}|k[0-9a-z]{45,100}|z[1-9A-HJ-NP-Za-km-z]{45,100}|f[0-9a-f]{60,140})$/;
const IPNS_NAME = /^[a-z0-9][a-z0-9._-]{2,252}$/i;

/** Keeps https only: a page served over https shows nothing else. */
const SECURE = /^(https:\/\/|data:)/i;
/** A URI in quotation marks, once or, where a contract escapes what it has quoted, twice. */
const QUOTED = /^(?:\\?"|'|`|“|‘|«|%22|%27)(.*?)(?:\\?"|'|`|”|’|»|%22|%27)$/is;
const QUOTES_MAX = 2;
/** Would end an attribute or a header that is not escaped. */
const UNSAFE = /[\p{Cc}\s"'<>`\\]/gu;

/**
 * Returns a media URL that a browser may be given: https, a gateway's URL for IPFS and Arweave, or
 * a `data:` URI of at most 32 KB. Never `javascript:`, `http:` or a document. Null for any other.
 */
export function displayUrl(given: string, gateways: Gateways): string | null {
	const text = unquoted(given).toWellFormed();
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

/** Returns the URLs at which the document of a contract's URI may be. Makes no request. */
export function uriPlan(given: string, gateways: Gateways): UriPlan {
	if (given.length > DATA_URI_LENGTH_MAX) return { kind: "unusable" };
	const uri = unquoted(given);
	if (/^data:/i.test(uri)) {
		const texts = dataUriTexts(uri);
		return texts === null ? { kind: "unusable" } : { kind: "held", texts };
	}
	// Some contracts return the document itself.
	if (uri.startsWith("{")) return { kind: "held", texts: [uri] };
	if (uri.length > URL_LENGTH_MAX) return { kind: "unusable" };
	const url = uri.replaceAll(" ", "%20");
	const candidates: Candidate[] = [...onGateways(url, gateways)];
	if (/^https?:\/\//i.test(url)) candidates.push({ url, gateway: null });
	return candidates.length === 0 ? { kind: "unusable" } : { kind: "fetched", candidates };
}

/**
 * Returns the path of Arweave content on any gateway, for `ar://` and URLs of arweave.net; else
 * null.
 */
export function arweavePathOf(uri: string): string | null {
	const parts = /^(?:ar:\/*|https?:\/\/arweave\.net\/)([^/?#]+)(.*)$/is.exec(uri);
	if (!parts) return null;
	const [, id = "", rest = ""] = parts;
	if (!TRANSACTION.test(id)) return null;
	const url = URL.parse(`/${id}${rest.replaceAll("#", "%23")}`, "http://gateway.invalid");
	if (!url || url.host !== "gateway.invalid") return null;
	const isWithin = url.pathname === `/${id}` || url.pathname.startsWith(`/${id}/`);
	return isWithin ? url.pathname + url.search : null;
}

/**
 * Returns the text of a `data:` URI, in the readings that are possible: many contracts write plain
 * JSON after the comma, where percent signs are percent signs. Null where it is no such URI, or not
 * of a text type.
 */
export function dataUriTexts(uri: string): string[] | null {
	// Only the beginning: three megabytes of semicolons take the expression as many seconds.
	const match = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(uri.slice(0, DATA_HEAD_LENGTH_MAX));
	if (!match) return null;
	const [head, type = "", parameters = ""] = match;
	if (!/^(|text\/plain|application\/(ld\+)?json|text\/json)$/i.test(type.trim())) return null;
	const body = uri.slice(head.length);
	const charset = /;\s*charset=([^;]+)/i.exec(parameters)?.[1]?.trim() ?? "utf-8";
	if (/;\s*base64\s*$/i.test(parameters)) {
		const text = percentDecoded(body) ?? body;
		return [decoded(Buffer.from(text, "base64"), charset)];
	}
	const text = percentDecoded(body);
	return text === null || text === body ? [body] : [text, body];
}

/**
 * Returns the path of IPFS content on any gateway, such as `/ipfs/Qm…/1.json`, for every form of
 * it: `ipfs://`, `ipfs://ipfs/`, `ipns://`, a bare CID, or a URL of any gateway, with the CID in
 * its path or host. Null for any other URI, and for a path that leaves the content.
 */
export function ipfsPathOf(uri: string): string | null {
	const scheme = /^(ipfs|ipns):\/*(.*)$/is.exec(uri);
	if (scheme) {
		const [, root = "", rest = ""] = scheme;
		// In a file's name `#` means itself: documents have no fragments.
		const given = rest.replaceAll("#", "%23");
		return /^ip[fn]s\//i.test(given) ? checkedPath(given) : checkedPath(`${root}/${given}`);
	}
	const url = /^https?:\/\//i.test(uri) ? URL.parse(uri) : null;
	if (url) return checkedPath(url.pathname.slice(1) + url.search) ?? subdomainPath(url);
	const bare = uri.replace(/^\/+/, "").replaceAll("#", "%23");
	if (/^ip[fn]s\//.test(bare)) return checkedPath(bare);
	return CID.test(bare.split(/[/?]/)[0] ?? "") ? checkedPath(`ipfs/${bare}`) : null;
}

/** Returns a URI without the quotation marks that some contracts and documents write around it. */
function unquoted(given: string): string {
	let text = given.trim();
	for (let times = 0; times < QUOTES_MAX; times++) {
		const inner = QUOTED.exec(text)?.[1];
		if (inner === undefined) return text;
		text = inner.trim();
	}
	return text;
}

function bounded(url: string): string | null {
	return url.length <= IMAGE_LENGTH_MAX ? url : null;
}

function onGateways(url: string, { ipfs, arweave }: Gateways): Candidate[] {
	const path = ipfsPathOf(url);
	if (path !== null) return ipfs.map((gateway) => ({ url: gateway + path, gateway }));
	const transaction = arweavePathOf(url);
	return transaction === null ? [] : [{ url: arweave + transaction, gateway: arweave }];
}

function percentDecoded(text: string): string | null {
	try {
		return decodeURIComponent(text);
	} catch {
		return null;
	}
}

function decoded(bytes: Buffer, charset: string): string {
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		// An unknown encoding: nearly all of it is UTF-8.
		return new TextDecoder().decode(bytes);
	}
}

function checkedPath(path: string): string | null {
	const parts = /^(ip[fn]s)\/+([^/?]+)(.*)$/is.exec(path);
	if (!parts) return null;
	const [, given = "", name = "", rest = ""] = parts;
	const root = given.toLowerCase();
	if (!(CID.test(name) || (root === "ipns" && IPNS_NAME.test(name)))) return null;
	const prefix = `/${root}/${name}`;
	const url = URL.parse(prefix + rest, "http://gateway.invalid");
	// The parser resolves dots that climb, also encoded ones, which shows here.
	if (!url || !(url.pathname === prefix || url.pathname.startsWith(`${prefix}/`))) return null;
	return url.host === "gateway.invalid" ? url.pathname + url.search : null;
}

/** Reads a path out of `https://<cid>.ipfs.<gateway>/<path>`. */
function subdomainPath(url: URL): string | null {
	const [cid = "", root = ""] = url.hostname.split(".");
	if (root !== "ipfs" || !CID.test(cid)) return null;
	return checkedPath(`ipfs/${cid}${url.pathname}${url.search}`);
}
