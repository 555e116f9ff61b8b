import { hasBackslash, type SegmentedRequest } from "#core/http/rawSegments.ts";
import { urlFlaw } from "#core/http/urlFlaw.ts";

/** The target of a request, read once; every decision about the request uses it. */
export type RequestTarget = {
	/** `http://host/path?query`, normalised: the URL that routes get. */
	readonly url: string;
	/** In lower case, with its port unless that is 80. */
	readonly host: string;
	/** Still encoded. Empty where the target is unreadable, so that no route matches. */
	readonly path: string;
	/** The text after the question mark; empty without one. */
	readonly query: string;
	/** Why the request must be refused; undefined where nothing is wrong. */
	readonly flaw: string | undefined;
};

/** Replaces the host of an HTTP/1.0 request, which need not name one. */
const LOCAL = "http://localhost";

/**
 * Reads a request's target from its URL, which Bun builds from the Host header and the request
 * line.
 *
 * A URL that differs from its normalised text is refused: readers that search such a text and
 * readers that parse it may find different paths. So is a request with two hosts or a fragment, and
 * a path that was sent with a backslash, which Bun has turned into a slash.
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
 * Returns the URL with scheme and host; undefined where there is neither. Bun leaves both out where
 * the Host header is missing or invalid. Probes of load balancers have none (HTTP/1.0).
 */
function absoluteUrl({ url, method, headers }: Request): string | undefined {
	if (url.startsWith("http://") || url.startsWith("https://")) return url;
	if (!url.startsWith("/") || method !== "GET" || headers.has("host")) return undefined;
	// This one is not normalised yet.
	return URL.parse(`${LOCAL}${url}`)?.href;
}

function isNamed({ username, password }: URL): boolean {
	return username !== "" || password !== "";
}

function unreadable(flaw: string): RequestTarget {
	return { url: "", host: "", path: "", query: "", flaw };
}
