import { hasBackslash, type SegmentedRequest } from "#core/http/rawSegments.ts";
import { urlFlaw } from "#core/http/urlFlaw.ts";

/** Where a request goes, read once: whatever decides about a request decides by this. */
export type RequestTarget = {
	/** `http://host/path?query`, normalised: the URL that routes are handed. */
	readonly url: string;
	/** In lower case, with its port where that is not 80. */
	readonly host: string;
	/** Still encoded. Empty where the target cannot be read, so that it is no route's. */
	readonly path: string;
	/** Behind the question mark; empty without one. */
	readonly query: string;
	/** Why the request is refused, whatever it asks for; undefined where nothing is wrong. */
	readonly flaw: string | undefined;
};

/** Stands for the host of a request of HTTP/1.0, which need not name one. */
const LOCAL = "http://localhost";

/**
 * Reads a request's target from its URL, which Bun makes of the Host header and the request line.
 *
 * A URL that is not its own normalised text is refused: who cuts such a text and who parses it may
 * find two different paths. So is a request that names two hosts or a fragment, and a path that was
 * sent with a backslash, of which Bun has made a slash by now.
 */
export function readTarget(request: SegmentedRequest): RequestTarget {
	const given = absoluteUrl(request);
	const parsed = given === undefined ? null : URL.parse(given);
	if (parsed === null || parsed.href !== given || isNamed(parsed)) {
		return unreadable("The Host header names no host.");
	}
	if (request.headers.get("host")?.includes(",")) {
		return unreadable("The Host header names more than one host.");
	}
	if (given.includes("#")) return unreadable("The URL has a fragment.");
	const { host, pathname: path, search } = parsed;
	if (hasBackslash(request, path)) return unreadable("The path has a backslash.");
	const url = parsed.protocol === "http:" ? given : `http://${host}${path}${search}`;
	return { url, host, path, query: search.slice(1), flaw: urlFlaw(given) };
}

/**
 * The URL with scheme and host; undefined where there is neither. Bun leaves both out where the
 * Host header is missing or no host can look like it. Probes of load balancers ask so (HTTP/1.0).
 */
function absoluteUrl({ url, method, headers }: Request): string | undefined {
	if (url.startsWith("http://") || url.startsWith("https://")) return url;
	if (!url.startsWith("/") || method !== "GET" || headers.has("host")) return undefined;
	// Nobody has normalised this one yet.
	return URL.parse(`${LOCAL}${url}`)?.href;
}

function isNamed({ username, password }: URL): boolean {
	return username !== "" || password !== "";
}

function unreadable(flaw: string): RequestTarget {
	return { url: "", host: "", path: "", query: "", flaw };
}
