// Reads requests: their target, query, body and id, each checked once.

import type { AnyElysia } from "elysia";
import { z } from "zod";
import { assert, type Fault } from "#core/fault.ts";
import type { Repeat } from "#core/http/repeat.ts";

/** A request as Bun's router passes it: with the raw segments of its path. */
export type SegmentedRequest = Request & { readonly params?: Readonly<Record<string, string>> };

/** The parameters of a query by name; a repeated one has all its values. */
export type Query = Record<string, string | string[]>;

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
	/** The reason why the request must be refused; undefined where nothing is wrong. */
	readonly flaw: string | undefined;
};

/** The app's data about a request. */
export type RequestContext = {
	readonly requestId: string;
	/** Host, path and query, read once; no other code reads `request.url`. */
	readonly target: RequestTarget;
	/** One text per client (see clientAddress): a key for limits, not always an address. */
	readonly clientAddress: string;
	/** Headers of every answer to this request, whatever makes it. */
	readonly headers: Map<string, string>;
	/** Set if the answer is a problem. */
	fault: Fault | undefined;
	/** True after an upgrade: there is no answer any more. */
	upgraded: boolean;
	/** True if pages of any origin may read the answer; they get nothing by cookies. */
	isPublic: boolean;
	/** True if a page of an origin asks that is neither ours nor listed. */
	isForeign: boolean;
	/**
	 * Allows the answer to send nothing for this long. A route may have a copy of the request, which
	 * `server.timeout(request, …)` does not know.
	 */
	keepOpen(seconds: number): void;
	/** Set by a route whose answer the gate may repeat for the same URL. */
	repeat?: Repeat;
};

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** The names of an object so far; null for an array. */
type Names = Set<string> | null;

/** Deeper than any body we know; zod and JSON.stringify recurse, and the stack is limited. */
const DEPTH_MAX = 32;

/** Limits the characters of a name that are repeated to its sender. */
const NAME_LENGTH_MAX = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OBJECT_OPENS = 0x7b;
const OBJECT_ENDS = 0x7d;
const ARRAY_OPENS = 0x5b;
const ARRAY_ENDS = 0x5d;

/** Shared by every object without a name yet: most texts with many objects have small ones. */
const NO_NAMES: Names = new Set();

/** Limits the segments of a path: no route of ours has nearly as many. */
const SEGMENTS_MAX = 16;

// Matches a folder or the one above, in a segment that was decoded once: alone, beside a slash, in
// front of parameters (`..;x`) or blanks, also encoded again.
const DOT_SEGMENT =
	/(?:^|[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:\s*$|[;/\\]|%(?:25)*(?:2f|5c|3b|20|09))/i;

/** A path that one of `segmentRoutes` matches. */
const SEGMENTED = new RegExp(`^(?:/[^/]+){1,${SEGMENTS_MAX}}/?$`);

const ENCODED_NUL = /%00/;

/** Replaces the host of an HTTP/1.0 request, which need not name one. */
const LOCAL = "http://localhost";

const contexts = new WeakMap<Request, RequestContext>();

/** Finds a request's context, by the `request` of an Elysia context. */
export const requestContexts = {
	get: (request: Request): RequestContext | undefined => contexts.get(request),
	set: (request: Request, context: RequestContext): void => {
		contexts.set(request, context);
	},
};

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Makes a body parser for JSON with amounts of money: the named members, at any depth, become the
 * text that was sent, whether a number or a string. A number that became a double first would be
 * another amount (0.1 + 17 digits, `1e18`).
 *
 * The schema interprets the text, with `parseAmount` or a pattern: `1e18` and `-0` are valid JSON
 * numbers and are kept as text. Invalid JSON throws a SyntaxError, which the edge answers with
 * `malformed_body`.
 *
 * `"json"` after it never runs; it tells the OpenAPI document that the body is JSON.
 *
 * @example
 * new Elysia().post("/buys", handler, { parse: [exactNumbers("maxPriceNative"), "json"], body });
 */
export function exactNumbers(
	...names: readonly string[]
): (context: { request: Request }) => Promise<unknown> {
	const exact = new Set(names);
	const revive: Reviver = (key, value, context) =>
		typeof value === "number" && exact.has(key) ? (context?.source ?? String(value)) : value;
	return async ({ request }) => JSON.parse(await request.text(), revive);
}

/**
 * Returns what is wrong with valid JSON that we do not accept: deep nesting, NUL characters and
 * lone surrogates (Postgres refuses both in jsonb), and an object with one name twice, in any
 * spelling. RFC 7493, sections 2.1 and 2.3, forbids the latter two: of two amounts our parser takes
 * the last one, and a proxy that checked the request may have read the first.
 *
 * It does not check the grammar: the parser does.
 */
export function jsonTextFlaw(text: string): string | undefined {
	const open: Names[] = [];
	let isNameNext = false;
	for (let position = 0; position < text.length; position++) {
		const code = text.charCodeAt(position);
		if (code === QUOTE) {
			const string = readString(text, position + 1);
			if (string.flaw) return string.flaw;
			if (isNameNext) {
				const name = nameOf(text.slice(position + 1, string.end), string.hasEscape);
				if (!addName(open, name)) return `The body names ${shown(name)} more than once.`;
				isNameNext = false;
			}
			position = string.end;
		} else if (code === OBJECT_OPENS || code === ARRAY_OPENS) {
			isNameNext = code === OBJECT_OPENS;
			open.push(isNameNext ? NO_NAMES : null);
			if (open.length > DEPTH_MAX) return `The body is nested deeper than ${DEPTH_MAX} levels.`;
		} else if (code === OBJECT_ENDS || code === ARRAY_ENDS) {
			isNameNext = false;
			open.pop();
		} else if (code === COMMA) {
			isNameNext = (open.at(-1) ?? null) !== null;
		}
	}
	return undefined;
}

/**
 * Makes routes of `Bun.serve` that pass every request on with the segments of its raw path.
 *
 * Only Bun's router shows a path before it is normalised. Paths that no pattern matches (the root,
 * an empty segment) go to `fetch`, and no route of ours matches them with a backslash.
 */
export function segmentRoutes<Answer>(
	handle: (request: Request) => Answer,
): Record<string, (request: Request) => Answer> {
	const patterns = Array.from({ length: SEGMENTS_MAX }, (_, last) =>
		Array.from({ length: last + 1 }, (_, place) => `/:s${place}`).join(""),
	);
	const both = patterns.flatMap((pattern) => [pattern, `${pattern}/`]);
	return Object.fromEntries(both.map((pattern) => [pattern, handle]));
}

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
	if (hasDotSegment(request)) return unreadable("The path has a segment of dots.");
	const url = parsed.protocol === "http:" ? given : `http://${host}${path}${search}`;
	return { url, host, path, query: search.slice(1), flaw: urlFlaw(given) };
}

/**
 * Marks a request whose path has the form of `segmentRoutes` only after the URL parser removed its
 * dot segments: none of them matched it. By the mark `hasDotSegment` refuses it.
 */
export function withoutSegments(request: Request): Request {
	const pathname = URL.parse(request.url)?.pathname;
	if (pathname === undefined || !SEGMENTED.test(pathname)) return request;
	return Object.defineProperty(request, "params", { value: { s0: ".." } });
}

/**
 * Returns whether the path was sent with a segment `.` or `..`, written out or encoded.
 *
 * The URL standard takes them out and routes see the rest; proxies that decide by the path do not
 * all, or decode twice, or cut it at a semicolon: `/healthz/../v1/admin` would pass as harmless.
 */
function hasDotSegment({ params }: SegmentedRequest): boolean {
	return Object.values(params ?? {}).some((segment) => DOT_SEGMENT.test(segment));
}

/**
 * Returns whether the path was sent with a backslash.
 *
 * The URL standard turns backslashes into slashes, but proxies do not: a proxy that decides by the
 * path would let forbidden requests through. An encoded backslash stays one.
 */
export function hasBackslash({ params }: SegmentedRequest, path: string): boolean {
	if (params === undefined) return false;
	const segments = Object.values(params);
	if (!segments.some((segment) => segment.includes("\\"))) return false;
	try {
		return !`${decodeURIComponent(path)}/`.startsWith(`/${segments.join("/")}/`);
	} catch {
		return true;
	}
}

/**
 * Returns what is wrong with a URL's percent-encoding; undefined: nothing.
 *
 * Path parameters and query values are decoded later, in places that either throw or pass bytes on
 * that Postgres refuses (a NUL is error 22021): here they are all refused the same way.
 */
export function urlFlaw(url: string): string | undefined {
	if (!url.includes("%")) return undefined;
	if (ENCODED_NUL.test(url)) return "The URL contains a NUL character.";
	try {
		// `decodeURIComponent` also refuses invalid UTF-8 (%ff) and lone surrogates (%ED%A0%80).
		decodeURIComponent(url);
		return undefined;
	} catch {
		return "The URL is not valid percent-encoded UTF-8.";
	}
}

/** Returns the caller's own request id if it is safe in headers and logs, else a new one. */
export function requestIdOf(request: Request, generate: () => string): string {
	const given = request.headers.get("x-request-id");
	return given !== null && SANE.test(given) ? given : generate();
}

/**
 * Makes every route of `routes` read its query by `readQuery`, and refuse parameters that its
 * schema does not name; a route without a schema takes none. Returns the same routes, which must
 * not be mounted yet.
 *
 * Applied to all of them here, so that no route can forget it: ignoring a `chian` would answer
 * about another chain. It is part of a route's validation, so it comes after authentication:
 * without a key a caller learns nothing else. Excluded are pages for people (hidden from the
 * document), because messengers and browsers add parameters to links, and streams, whose query is
 * read by `readStreamQuery`.
 */
export function strictQueries<Routes extends AnyElysia>(routes: Routes): Routes {
	for (const { method, path, hooks } of routes.router.history) {
		if (method !== "WS" && hooks.detail?.hide === true) continue;
		hooks.transform = [{ fn: replaceQuery }, ...(hooks.transform ?? [])];
		if (method === "WS") continue;
		const schema: unknown = hooks.query ?? z.object({});
		assert(schema instanceof z.ZodObject, `the query of ${method} ${path} is a zod object`);
		hooks.query = schema.strict();
	}
	return routes;
}

/**
 * Parses the text after a URL's question mark, as browsers write it.
 *
 * Elysia's own reader makes a list of `q=cats,dogs` and JSON of `q=[1]` before any schema runs, so
 * that a comma was refused and could not be distinguished from a repeated parameter.
 */
export function readQuery(text: string): Query {
	// Without a prototype: `__proto__` is a name like any other.
	const query: Query = Object.create(null);
	if (text === "") return query;
	for (const [name, value] of new URLSearchParams(text)) {
		const before = query[name];
		if (before === undefined) query[name] = value;
		else if (typeof before === "string") query[name] = [before, value];
		else before.push(value);
	}
	return query;
}

/** Reads to the closing quote, whose position is `end`. */
function readString(
	text: string,
	start: number,
): { end: number; hasEscape: boolean; flaw?: string } {
	let position = start;
	let hasEscape = false;
	while (position < text.length) {
		const code = text.charCodeAt(position);
		if (code === QUOTE) break;
		if (code === BACKSLASH) hasEscape = true;
		if (code === BACKSLASH && text.charCodeAt(position + 1) === LETTER_U) {
			const unit = escapedUnit(text, position);
			if (unit === 0)
				return { end: position, hasEscape, flaw: "The body contains a NUL character." };
			if (isHigh(unit) && isLow(escapedUnit(text, position + 6))) position += 6;
			else if (isHigh(unit) || isLow(unit)) {
				return { end: position, hasEscape, flaw: "The body contains half of a surrogate pair." };
			}
			position += 6;
		} else {
			position += code === BACKSLASH ? 2 : 1;
		}
	}
	return { end: position, hasEscape };
}

/** Returns the code unit of a `\uXXXX` at `position`, or NaN where there is none. */
function escapedUnit(text: string, position: number): number {
	const match = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(position, position + 6));
	return match ? Number.parseInt(match[1] ?? "", 16) : Number.NaN;
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Returns a name as the parser will read it: `"\u0061mount"` is `"amount"`. */
function nameOf(spelt: string, hasEscape: boolean): string {
	if (!hasEscape) return spelt;
	try {
		return String(JSON.parse(`"${spelt}"`));
	} catch {
		// Invalid JSON: the parser refuses it.
		return spelt;
	}
}

/** Adds a name; returns false where the innermost object has it already. */
function addName(open: Names[], name: string): boolean {
	const names = open.at(-1);
	if (!names) return true;
	if (names === NO_NAMES) {
		open[open.length - 1] = new Set([name]);
		return true;
	}
	if (names.has(name)) return false;
	names.add(name);
	return true;
}

function shown(name: string): string {
	return JSON.stringify(name.slice(0, NAME_LENGTH_MAX).toWellFormed());
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

function replaceQuery(asked: { request: Request; query: unknown }): void {
	const { request } = asked;
	const target = requestContexts.get(request)?.target;
	asked.query = readQuery(target ? target.query : new URL(request.url).search);
}
