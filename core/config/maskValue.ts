import { isSecretName } from "#core/config/isSecretName.ts";

/** What stands where a secret was. */
export const MASK = "***";

/** Short words stand in the paths of endpoints (v2, ws, rpc). A longer segment may be its key. */
const HARMLESS_SEGMENT = /^(.{0,4}|ogrpc|mainnet|chain)$/i;

export type Maskable = { name: string; text: string; declaredSecret?: boolean };

/**
 * A variable's text as it may be shown on a screen or in a log: secrets hidden by their name, and
 * in every URL the credentials, query values, fragment and key-like path segments.
 *
 * A secret is hidden whole, also where it is a URL: a password with an unescaped "/" or "@" would
 * be taken apart in the wrong place, and half of it shown.
 */
export function maskValue({ name, text, declaredSecret = false }: Maskable): string {
	return declaredSecret || isSecretName(name) ? MASK : maskUrls(text);
}

/** A scheme has at most 16 letters here: unbounded, the search is quadratic (100 KB took 3 s). */
function maskUrls(text: string): string {
	return text.replace(/[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"',<>\\]+/gi, maskUrl);
}

function maskUrl(url: string): string {
	const [, scheme = "", rest = ""] = /^([^:]+:\/\/)(.*)$/s.exec(url) ?? [];
	const [beforeFragment = "", ...fragment] = rest.split("#");
	const [beforeQuery = "", ...query] = beforeFragment.split("?");
	// Everything up to the last "@" is taken for credentials, so a password with "/" hides too.
	const at = beforeQuery.lastIndexOf("@");
	const [host = "", ...path] = beforeQuery.slice(at + 1).split("/");
	const masked = [host, ...path.map(maskSegment)].join("/");
	return [
		scheme,
		at < 0 ? "" : `${MASK}@`,
		masked,
		query.length > 0 ? `?${maskQuery(query.join("?"))}` : "",
		fragment.length > 0 ? `#${MASK}` : "",
	].join("");
}

function maskSegment(segment: string): string {
	return HARMLESS_SEGMENT.test(segment) ? segment : MASK;
}

function maskQuery(query: string): string {
	return query
		.split("&")
		.map((pair) => (pair.includes("=") ? `${pair.slice(0, pair.indexOf("="))}=${MASK}` : MASK))
		.join("&");
}
