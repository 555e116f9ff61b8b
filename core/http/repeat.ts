import type { Clock } from "#core/clock.ts";
import { type Content, contentOf } from "#core/http/content.ts";
import { type OriginPolicy, varyWith } from "#core/http/createOriginPolicy.ts";
import type { RequestContext } from "#core/http/requests.ts";
import { CACHED_MEMBER, SIGNED_MEMBER } from "#core/http/routeMarks.ts";

/** The answer's own headers, in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>> & { readonly "content-type": string };

/** An answer without the headers that the gate adds to every answer. Its status is 200. */
export type RepeatedAnswer = { content: Content; headers: AnswerHeaders };

/**
 * Answers a URL that was answered before, without routing, parsing and validating it again. Only
 * for routes whose answers are the same for all callers (`canBeCached`): they depend on the URL and
 * the time alone, never on a header, a cookie or a session. `nowMs` is the time of the service's
 * clock.
 *
 * A repeated answer is the same object, so that its compressed forms are found by it.
 */
export type Repeat = (nowMs: number) => RepeatedAnswer | Promise<RepeatedAnswer>;

/** An answer as its route makes it. */
export type MadeAnswer = { body: string; headers: AnswerHeaders };

export type Route = { method: string; path: string; hooks?: { detail?: unknown } };

export type RouteMatch = {
	/** Each method of the path, with the pattern that would answer it; `WS` for a stream. */
	patterns: ReadonlyMap<string, string>;
	/** Whether its GET answers all callers alike (see `canBeCached`). */
	isCached: boolean;
	/** Whether a signature proves the sender of its POST (see `takesSigned`). */
	isSigned: boolean;
};

export type RouteTable = { match(path: string): RouteMatch | undefined };

export type Dressing = {
	request: Request;
	context: RequestContext;
	origins: OriginPolicy;
	sandbox: boolean;
	draining: () => boolean;
};

type Node = {
	statics: Map<string, Node>;
	parameter: Node | undefined;
	/** Patterns by method that end here, and those that end here in `*`. */
	ends: Map<string, string>;
	wildcards: Map<string, string>;
};

type Newest = {
	version: string;
	madeAtMs: number;
	/** When the last check without a change began. */
	lookedAtMs: number;
	answer: RepeatedAnswer;
};

/** How long an answer is repeated: shorter than the network delay to most clients. */
const BRIEFLY_MS = 15;
/**
 * How old an answer may be that is repeated while the next one is made, as for compressed bodies.
 */
const BRIEFLY_BRIDGED_MS = 100;

/** How long an answer is repeated without a check: shorter than the network delay to any client. */
const UNCHECKED_MS = 5;
/** When the next check begins while requests keep coming, so that it ends before one must wait. */
const LOOK_AFTER_MS = 2;
/** How old an answer may become meanwhile: a page of 200 events takes 10 ms to make. */
const UNCHECKED_BRIDGED_MS = 50;
/** How old data outside the version (rates, names in memory) may be in an answer. */
const MADE_MS = 1_000;

/**
 * Makes the table that finds which patterns a path matches, for every method at once.
 *
 * Elysia's own router answers only for one given method, so it cannot distinguish 404 from 405, and
 * does not help with a request that failed before its route; metrics need the pattern for those
 * too. Precedence is Elysia's: static before parameter before wildcard.
 */
export function createRouteTable(routes: readonly Route[]): RouteTable {
	const root = emptyNode();
	const cached = new Set<string>();
	const signed = new Set<string>();
	for (const route of routes) {
		if (route.method === "GET" && says(route, CACHED_MEMBER)) cached.add(route.path);
		if (route.method === "POST" && says(route, SIGNED_MEMBER)) signed.add(route.path);
		for (const path of expandOptional(route.path)) insert(root, { ...route, path }, route.path);
	}
	return {
		match(path) {
			const patterns = new Map<string, string>();
			collect(root, segmentsOf(path), patterns);
			if (patterns.size === 0) return undefined;
			return {
				patterns,
				isCached: cached.has(patterns.get("GET") ?? ""),
				isSigned: signed.has(patterns.get("POST") ?? ""),
			};
		},
	};
}

/** Adds the headers of every answer, and removes the body of an answer to HEAD. */
export async function dressResponse(response: Response, dressing: Dressing): Promise<Response> {
	const dressed = withHeaders(response, dressing);
	return dressing.request.method === "HEAD" ? headless(dressed) : dressed;
}

/**
 * Makes an answer at most once in 15 milliseconds, for all requests in that time: the time that it
 * shows is that much off, but many requests do not make it many times.
 *
 * While the next one is made, the one before is repeated: requests that wait for a promise cost
 * many times more than those answered at once (see the README).
 */
export function shareBriefly(make: () => Promise<MadeAnswer>): Repeat {
	let newest: { atMs: number; answer: RepeatedAnswer } | undefined;
	let making: Promise<RepeatedAnswer> | undefined;
	return (nowMs) => {
		const ageMs = newest ? Math.abs(nowMs - newest.atMs) : Number.POSITIVE_INFINITY;
		if (newest && ageMs < BRIEFLY_MS) return newest.answer;
		making ??= begin(nowMs);
		return newest && ageMs < BRIEFLY_BRIDGED_MS ? newest.answer : making;
	};

	function begin(atMs: number): Promise<RepeatedAnswer> {
		const made = make().then(({ body, headers }) => ({ content: contentOf(body), headers }));
		made.then(
			(answer) => {
				newest = { atMs, answer };
				making = undefined;
			},
			() => {
				making = undefined;
			},
		);
		return made;
	}
}

/**
 * Makes one answer after the other, each for all requests that came since the last one was begun.
 *
 * Each answer is begun after its requests came, so none is older than its request, unlike with a
 * cached page; and for many equal requests only two answers are made.
 */
export function shareNext(make: () => Promise<MadeAnswer>): Repeat {
	let running: Promise<RepeatedAnswer> | undefined;
	let next: Promise<RepeatedAnswer> | undefined;
	return () => {
		if (!running) return begin();
		next ??= running.then(beginNext, beginNext);
		return next;
	};

	function beginNext(): Promise<RepeatedAnswer> {
		next = undefined;
		return begin();
	}

	function begin(): Promise<RepeatedAnswer> {
		const made = make().then(({ body, headers }) => ({ content: contentOf(body), headers }));
		running = made;
		// Before the functions that wait for its end.
		const end = () => {
			running = undefined;
		};
		made.then(end, end);
		return made;
	}
}

/**
 * Repeats an answer while `version` stays the same, and makes it again otherwise: for pages that
 * are large and must not be older than what their reader has already seen.
 *
 * The version is read once for all waiting requests, after they came: no request gets a page that
 * is older than itself by five milliseconds, or by fifty while requests keep coming (waiting would
 * cost many times more, see the README). It is read before the page, so a page is never older than
 * its version.
 */
export function shareWhileSame(options: {
	version: () => Promise<string>;
	make: () => Promise<MadeAnswer>;
	clock: Clock;
}): Repeat {
	const { version, make, clock } = options;
	let newest: Newest | undefined;
	/** Begins when the one before has ended, for all requests until then. */
	let next: Promise<RepeatedAnswer> | undefined;
	let last: Promise<unknown> = Promise.resolve();
	/** Whether a check is running that was begun early. */
	let isAhead = false;

	async function look(): Promise<RepeatedAnswer> {
		next = undefined;
		const lookedAtMs = clock.nowMs();
		const now = await version();
		if (newest?.version === now && agedMs(newest.madeAtMs, lookedAtMs) < MADE_MS) {
			newest.lookedAtMs = lookedAtMs;
			return newest.answer;
		}
		const { body, headers } = await make();
		const answer = sameOr(newest?.answer, { content: contentOf(body), headers });
		newest = { version: now, madeAtMs: lookedAtMs, lookedAtMs, answer };
		return answer;
	}

	function ask(): Promise<RepeatedAnswer> {
		if (next) return next;
		next = last.then(look);
		last = next.catch(() => {});
		return next;
	}

	return (nowMs) => {
		const ageMs = newest ? agedMs(newest.lookedAtMs, nowMs) : Number.POSITIVE_INFINITY;
		if (!newest || ageMs >= (isAhead ? UNCHECKED_BRIDGED_MS : UNCHECKED_MS)) return ask();
		if (ageMs >= LOOK_AFTER_MS && !isAhead) lookAhead();
		return newest.answer;
	};

	function lookAhead(): void {
		isAhead = true;
		const isOver = () => {
			isAhead = false;
		};
		// Requests that wait for it will report the error.
		ask().then(isOver, isOver);
	}
}

function emptyNode(): Node {
	return { statics: new Map(), parameter: undefined, ends: new Map(), wildcards: new Map() };
}

function says({ hooks }: Route, member: string): boolean {
	const detail = hooks?.detail;
	return typeof detail === "object" && detail !== null && member in detail;
}

/** Expands optional parameters: `/a/:b?` is both `/a/:b` and `/a`. */
function expandOptional(path: string): string[] {
	const optional = /\/:[^/?]+\?/.exec(path);
	if (!optional) return [path];
	const without = path.slice(0, optional.index) + path.slice(optional.index + optional[0].length);
	const withIt = path.replace(optional[0], optional[0].slice(0, -1));
	return [...expandOptional(withIt), ...expandOptional(without === "" ? "/" : without)];
}

function insert(root: Node, route: Route, pattern: string): void {
	let node = root;
	for (const segment of segmentsOf(route.path)) {
		if (segment === "*") {
			setFirst(node.wildcards, route.method, pattern);
			return;
		}
		node = child(node, segment);
	}
	setFirst(node.ends, route.method, pattern);
}

/** Splits a path. One slash at the end is ignored, as Elysia does by default. */
function segmentsOf(path: string): string[] {
	if (path === "/") return [];
	return (path.endsWith("/") ? path.slice(1, -1) : path.slice(1)).split("/");
}

function setFirst(map: Map<string, string>, method: string, pattern: string): void {
	if (!map.has(method)) map.set(method, pattern);
}

function child(node: Node, segment: string): Node {
	if (segment.startsWith(":")) {
		node.parameter ??= emptyNode();
		return node.parameter;
	}
	const next = node.statics.get(segment) ?? emptyNode();
	node.statics.set(segment, next);
	return next;
}

function collect(node: Node, segments: readonly string[], found: Map<string, string>): void {
	const [segment, ...rest] = segments;
	if (segment === undefined) {
		for (const [method, pattern] of node.ends) setFirst(found, method, pattern);
	} else {
		const exact = node.statics.get(segment);
		if (exact) collect(exact, rest, found);
		if (node.parameter && segment !== "") collect(node.parameter, rest, found);
	}
	for (const [method, pattern] of node.wildcards) setFirst(found, method, pattern);
}

function withHeaders(response: Response, dressing: Dressing): Response {
	try {
		dress(response.headers, dressing);
		return response;
	} catch {
		// The headers of some answers (from `fetch`, a redirect) cannot be changed. The others are
		// changed in place, because a copied body becomes a stream and loses its length.
		const headers = new Headers(response.headers);
		dress(headers, dressing);
		const { status, statusText } = response;
		return new Response(response.body, { status, statusText, headers });
	}
}

function dress(headers: Headers, dressing: Dressing): void {
	const { request, context } = dressing;
	for (const [name, value] of Object.entries(dressing.origins.readHeaders(request))) {
		headers.set(name, name === "vary" ? varyWith(headers.get(name), value) : value);
	}
	for (const [name, value] of context.headers) headers.set(name, value);
	headers.set("x-request-id", context.requestId);
	headers.set("x-content-type-options", "nosniff");
	if (!headers.has("referrer-policy")) headers.set("referrer-policy", "no-referrer");
	if (dressing.sandbox) headers.set("x-svc-sandbox", "true");
	// Otherwise keep-alive clients would stay with a server that is shutting down.
	if (dressing.draining()) headers.set("connection", "close");
}

/**
 * Removes the body but keeps its length: Bun sends 0 for a null body, so it is measured; a stream
 * has none.
 */
async function headless(response: Response): Promise<Response> {
	const headers = new Headers(response.headers);
	if (headers.get("content-type")?.startsWith("text/event-stream")) {
		await response.body?.cancel();
	} else if (response.body) {
		headers.set("content-length", String((await response.arrayBuffer()).byteLength));
	}
	return new Response(null, { status: response.status, headers });
}

/** Returns the age; if the clock was set back, as an absolute value. */
function agedMs(fromMs: number, nowMs: number): number {
	return Math.abs(nowMs - fromMs);
}

/** Returns the answer before if its bytes are equal, so that its compressed bodies are kept. */
function sameOr(before: RepeatedAnswer | undefined, answer: RepeatedAnswer): RepeatedAnswer {
	return before?.content.digest === answer.content.digest ? before : answer;
}
