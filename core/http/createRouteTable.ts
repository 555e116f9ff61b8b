// Finds which routes match a path, knows requests for WebSockets, and guards their handlers.

import { type AnyElysia, ValidationError } from "elysia";
import {
	CACHED_MEMBER,
	COSTLY_MEMBER,
	PUBLIC_MEMBER,
	SIGNED_MEMBER,
	WORDS_MEMBER,
} from "#core/http/routeMarks.ts";
import type { Log } from "#core/log.ts";

export type Route = { method: string; path: string; hooks?: { detail?: unknown } };

export type RouteMatch = {
	/** Each method of the path, with the pattern that would answer it; `WS` for a stream. */
	patterns: ReadonlyMap<string, string>;
	/** True if its GET answers all callers alike (see `canBeCached`). */
	isCached: boolean;
	/** True if a signature proves the sender of its POST (see `takesSigned`). */
	isSigned: boolean;
	/**
	 * Returns whether pages of any origin may read what this method answers, `WS` for a stream:
	 * cached public answers, and routes that are marked so (see `canBeReadByAnyPage`).
	 */
	isPublic(method: string): boolean;
	/** Returns whether a request of this method takes a slot (see `takesSlot`). */
	isCostly(method: string): boolean;
	/** Returns whether errors of this method are sentences (see `tellsInWords`). */
	isWordy(method: string): boolean;
};

export type RouteTable = { match(path: string): RouteMatch | undefined };

type Node = {
	statics: Map<string, Node>;
	parameter: Node | undefined;
	/** Patterns by method that end here, and those that end here in `*`. */
	ends: Map<string, string>;
	wildcards: Map<string, string>;
};

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
	const costly = new Set<string>();
	const open = new Set<string>();
	const wordy = new Set<string>();
	for (const route of routes) {
		if (route.method === "GET" && says(route, CACHED_MEMBER)) cached.add(route.path);
		if (route.method === "POST" && says(route, SIGNED_MEMBER)) signed.add(route.path);
		if (says(route, PUBLIC_MEMBER) || (route.method === "GET" && says(route, CACHED_MEMBER))) {
			open.add(`${route.method} ${route.path}`);
		}
		if (says(route, COSTLY_MEMBER)) costly.add(`${route.method} ${route.path}`);
		if (says(route, WORDS_MEMBER)) wordy.add(`${route.method} ${route.path}`);
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
				isPublic: (method) => open.has(`${method} ${patterns.get(method) ?? ""}`),
				isCostly: (method) => costly.has(`${method} ${patterns.get(method) ?? ""}`),
				isWordy: (method) => wordy.has(`${method} ${patterns.get(method) ?? ""}`),
			};
		},
	};
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

/**
 * Puts our error handler before those of every mounted stream.
 *
 * Elysia looks for handlers only on the instance where a stream was declared, so an `onError` of
 * the whole app is not called; without any handler, it sends an invalid frame back with all its
 * content. Call it after the routes are mounted.
 */
export function guardSockets(app: AnyElysia, log: Log): void {
	const guard = ({ error }: { error: unknown }) => {
		// Returns nothing, so that a stream's own handler still decides its client's answer. Invalid
		// frames are only in the debug log: otherwise clients could fill the log.
		if (error instanceof ValidationError) log.debug("a socket sent a frame that is not valid");
		else log.error("a socket's handler failed", { error });
	};
	for (const route of app.router.history) {
		const stream: unknown =
			route.method === "WS" ? Reflect.get(route.hooks, "websocket") : undefined;
		if (typeof stream !== "object" || stream === null) continue;
		const own: unknown = Reflect.get(stream, "error") ?? [];
		Reflect.set(stream, "error", [guard, ...(Array.isArray(own) ? own : [own])]);
	}
}

/** Returns whether a request asks for a WebSocket, by Elysia's own rule. */
export function isUpgrade(request: Request): boolean {
	return request.method === "GET" && request.headers.get("upgrade") === "websocket";
}
