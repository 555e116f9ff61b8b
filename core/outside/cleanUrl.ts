import { isPublicHost } from "#core/foreign/isPublicHost.ts";
import { MEDIA_URL_LENGTH_MAX, URL_LENGTH_MAX } from "#core/outside/limits.ts";

/** `link`: people follow it. `media`: it is drawn or played, and may hold its own content. */
export type UrlKind = "link" | "media";

const PROTOCOLS = { link: /^https?:$/, media: /^(?:https?|ipfs|ipns|ar):$/ };
const HELD = /^data:(?:image|video|audio)\/[a-z0-9.+-]+[;,]/i;
/** Characters that nobody sees, or that two parsers read in two ways. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Would end an attribute or a header if somebody forgot to escape it, or turn a path round. */
const UNSAFE = /[\s"'<>`\\]/;

/**
 * Nearly every URL there is: https, a name with dots that is of no local network, and a path of
 * ordinary characters. Nothing in it has to be looked at by the rules below.
 */
const ORDINARY =
	/^https:\/\/(?:[a-z0-9-]+\.)+(?!local|int|lan|arpa)[a-z]{2,}(?:\/[\w\-./%?=&~+,;:@!$()*#]*)?$/;

/**
 * Returns a stranger's URL as it may be stored and handed to a browser; null where it may not.
 *
 * Other schemes (`javascript:`, documents in `data:`) and hosts of local networks are refused: a
 * page that shows such an image has its reader's machine ask them. Credentials are taken off, as
 * whoever wrote them down gave them to nobody who reads this.
 */
export function cleanUrl(
	value: unknown,
	kind: UrlKind,
	{ lengthMax = URL_LENGTH_MAX }: { lengthMax?: number } = {},
): string | null {
	if (typeof value !== "string" || value.length > MEDIA_URL_LENGTH_MAX) return null;
	if (value.length <= lengthMax && ORDINARY.test(value)) return value;
	const text = value.trim();
	if (HIDDEN.test(text)) return null;
	if (kind === "media" && HELD.test(text)) return text;
	if (text.length > lengthMax) return null;
	const url = URL.parse(text);
	if (!url || !PROTOCOLS[kind].test(url.protocol)) return null;
	const isWeb = url.protocol === "http:" || url.protocol === "https:";
	if (isWeb && !isPublicHost(url.hostname)) return null;
	const hasCredentials = url.username !== "" || url.password !== "";
	const isPlain = !UNSAFE.test(text) && (!isWeb || /^https?:\/\/[^/]/i.test(text));
	if (isPlain && !hasCredentials) return text;
	url.username = "";
	url.password = "";
	return url.href.replaceAll("'", "%27");
}
