// Holds what every answer needs: limits, cursors, pages and refusals.

import type { World } from "#test/conformance/provider/world/World.ts";

/** One request, as far as its answer depends on it. */
export type Asked = {
	world: World;
	nowMs: number;
	pathname: string;
	/** The path's parameters, decoded. */
	path: Record<string, string>;
	query: URLSearchParams;
	body: unknown;
	cursors: Cursors;
	/** Takes down which events an answer has. */
	shown: string[];
};

/** Makes the answer to a request, or throws a Refusal. */
export type Answer = (asked: Asked) => unknown;

/** One call that the provider got, and what became of it. */
export type Call = {
	atMs: number;
	method: string;
	/** Path and query, as sent. */
	target: string;
	/** The document's name of the operation; null where it has none. */
	operation: string | null;
	path: Record<string, string>;
	query: URLSearchParams;
	key: string | null;
	status: number;
	/** The events that its answer had, each by slug and number. */
	shown: string[];
	/** What was sent, as a client parses it; null where it was refused, or cannot be read. */
	answer: unknown;
	/** What the document does not allow about it. */
	problems: string[];
};

/** One way in which the provider misbehaves. */
export type Misbehaviour =
	| { kind: "slow"; ms: number }
	| {
			kind: "refuses";
			status: number;
			headers?: Record<string, string>;
			body: string;
			type?: string;
	  }
	/** A right answer under another `content-type`. */
	| { kind: "content_type"; type: string }
	/** Half of a right answer; then the connection ends. */
	| { kind: "cut_off" }
	| { kind: "text"; text: string; type?: string }
	/** A member of so many bytes beside the others. */
	| { kind: "huge"; bytes: number }
	/** What a page leads to is the page after the next one. */
	| { kind: "omits_pages" }
	/** Each page leads to itself, for ever. */
	| { kind: "repeats_pages" }
	/** Answers as it would have so long ago. */
	| { kind: "late"; ms: number }
	/** Changes a right answer on its way out. */
	| { kind: "changes"; change: (body: any, call: Call) => unknown };

export type Trouble = Misbehaviour & {
	/** Affects only calls whose path and query match; without it, all calls. */
	on?: RegExp;
	/** The fault ends after this number of calls; without it, when it is stopped. */
	times?: number;
};

export type Taken = { isAllowed: boolean; headers: Record<string, string>; resetS: number };

export type Allowance = {
	/** One call more; says whether it is still within the window, and the documented headers. */
	take(): Taken;
	perMinute: number;
};

export type Cursors = {
	/** Names a place in the answers to one question; nothing can be read from it. */
	make(question: string, place: string): string;
	/** The place, or a Refusal where the cursor is of another question, expired or invented. */
	read(question: string, cursor: string): string;
	/** Everything that was handed out is over. */
	expireAll(): void;
};

export type CursorsOptions = { nowMs: () => number; lifeMs: number };

export type PageOptions = {
	/** What the document calls the cursor of this list on its way in. */
	cursorName: "next" | "cursor";
	limit: { usual: number; max: number };
};

/** The provider says no, as its document describes errors (`V1ErrorWrapper`). */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}

	body(): unknown {
		return { errors: [this.message] };
	}
}

const WINDOW_MS = 60_000;

/**
 * The provider's own limit: so many calls in each 60 s that slide with the clock. `Reset` is when
 * the oldest call of the window is forgotten, in seconds as the document says.
 */
export function createAllowance(perMinute: number, nowMs: () => number): Allowance {
	let recent: number[] = [];
	const allowance: Allowance = {
		perMinute,
		take() {
			const now = nowMs();
			recent = recent.filter((atMs) => atMs > now - WINDOW_MS);
			const isAllowed = recent.length < allowance.perMinute;
			if (isAllowed) recent.push(now);
			const resetMs = (recent[0] ?? now) + WINDOW_MS;
			const resetS = Math.ceil(resetMs / 1_000);
			const remaining = Math.max(0, allowance.perMinute - recent.length);
			return {
				isAllowed,
				resetS,
				headers: {
					"x-ratelimit-limit": String(allowance.perMinute),
					"x-ratelimit-remaining": String(remaining),
					"x-ratelimit-reset": String(resetS),
				},
			};
		},
	};
	return allowance;
}

/** Hands out opaque cursors that expire. */
export function createCursors({ nowMs, lifeMs }: CursorsOptions): Cursors {
	const places = new Map<string, { question: string; place: string; untilMs: number }>();
	return {
		make(question, place) {
			const cursor = Buffer.from(crypto.randomUUID()).toString("base64url");
			places.set(cursor, { question, place, untilMs: nowMs() + lifeMs });
			return cursor;
		},
		read(question, cursor) {
			const known = places.get(cursor);
			if (!known || known.question !== question) throw new Refusal(400, "Invalid cursor");
			if (known.untilMs <= nowMs()) throw new Refusal(400, "Cursor has expired");
			return known.place;
		},
		expireAll: () => places.clear(),
	};
}

/** A page of a list that stands still, by index; `next` is left out at its end. */
export function pageOf<One>(
	asked: Asked,
	items: readonly One[],
	{ cursorName, limit }: PageOptions,
): { items: One[]; next?: string } {
	const count = limitOf(asked, limit);
	const question = questionOf(asked);
	const cursor = asked.query.get(cursorName);
	const from = cursor === null ? 0 : Number(asked.cursors.read(question, cursor));
	const end = from + count;
	const next = end < items.length ? asked.cursors.make(question, String(end)) : undefined;
	return { items: items.slice(from, end), ...(next !== undefined && { next }) };
}

export function limitOf({ query }: Asked, { usual, max }: PageOptions["limit"]): number {
	const text = query.get("limit");
	if (text === null) return usual;
	const count = Number(text);
	if (!Number.isInteger(count) || count < 1 || count > max) {
		throw new Refusal(400, `limit must be between 1 and ${max}`);
	}
	return count;
}

/** What a cursor is bound to: the path and what selects rows, whatever the page's size. */
export function questionOf({ pathname, query }: Asked): string {
	const selects = [...query].filter(([key]) => !["limit", "next", "cursor"].includes(key));
	return `${pathname}?${selects
		.map(([key, value]) => `${key}=${value}`)
		.sort()
		.join("&")}`;
}
