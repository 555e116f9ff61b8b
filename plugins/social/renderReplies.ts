// Renders replies as posts and direct messages, and keeps posts different from each other.

import { LRUCache } from "lru-cache";
import { lengthOf, lineOf, type Reply } from "#agent/contract.ts";
import type { Clock } from "#core/clock.ts";
import { unreachable } from "#core/fault.ts";
import type { AnyTool, ToolLink } from "#core/plugin/Tool.ts";
import { SECOND_MS } from "#core/time.ts";
import type { ReplyState } from "#plugins/social/socialStates.ts";

/**
 * Returns a text that the bot did not post recently: unchanged, or with the time at its end. The
 * same reply gets the same text, until X refuses it.
 */
type Unlike = (text: string, reply: { id: string; isRefused: boolean }) => string;

/** Holds an answer without the parts that depend on the time of sending: those are added then. */
export type Draft = {
	text: string;
	/** ISO time of its oldest figure; null where nothing in it ages. */
	asOf: string | null;
	/** Links, and the transaction, behind it. */
	tail: string;
};

/** The reply as a public post and as a direct message. Null: none. */
export type Rendered = {
	post: Draft | null;
	dm: Draft | null;
	/** The post says what became of the message, in words that are added when it is sent. */
	tellsDm: boolean;
};

type RenderTerms = {
	/** Says whether the author used a post or a direct message. */
	via: "post" | "dm";
	/** The tool that answered, or would have; null where none was found. */
	tool: AnyTool | null;
	/** The longest reply, in code points and as X counts. */
	lengthMax: number;
	/** The address for signing in; null where the service does not know its own. */
	signInUrl: string | null;
	/** The payment that ended the order; null where none did. */
	transaction: string | null;
};

/** Holds when a text was last posted, and how often in that second. */
type Said = { second: number; twin: number };

/** Limits the texts that are remembered: about an hour of replies. */
const TEXTS_MAX = 5_000;

/** The longest line, without its links. */
const LINE_LENGTH_MAX = 200;

const LEAST_LINE = 60;

/**
 * Renders the agent's reply for X. A public post contains only public data: answers about the
 * market in full, and only the status of everything else. Data about a user's wallet (balances,
 * addresses, links) goes by direct message.
 */
export function renderReplies(reply: Reply, terms: RenderTerms): Rendered {
	if (terms.via === "dm") return { post: null, dm: privately(reply, terms), tellsDm: false };
	if (!isPrivate(reply, terms)) {
		return { post: publicly(reply.line, reply.asOf), dm: null, tellsDm: false };
	}
	const post = publicly(about(reply, terms), null);
	return { post, dm: privately(reply, terms), tellsDm: true };
}

/** Returns what a post says of the direct message with the rest: only what is so by now. */
export function dmWords(state: ReplyState | null): string {
	switch (state) {
		case "sent":
			return "I sent you the rest by direct message.";
		case "held":
			return "Send me the word link by direct message for the rest, or sign in.";
		case "ready":
		case "sending":
		case "uncertain":
			return "The rest comes by direct message.";
		case "refused":
		case "unanswered":
		case null:
			return "I could not send you the rest by direct message: ask me there, or sign in.";
		default:
			return unreachable(state);
	}
}

/**
 * Makes the function that keeps posts different: X refuses a text that the account posted recently,
 * even as a reply to another account. The same `help` for two people differs by the time of day
 * (UTC).
 *
 * It remembers this process's texts. A duplicate of another process is refused once; then it is
 * known.
 */
export function createUnlike({
	clock,
	lengthMax,
}: {
	clock: Clock;
	/** The longest reply, in code points and as X counts. */
	lengthMax: number;
}): Unlike {
	const said = new LRUCache<string, Said>({ max: TEXTS_MAX });
	const given = new LRUCache<string, { text: string; one: string }>({ max: TEXTS_MAX });
	return (text, { id, isRefused }) => {
		const before = given.get(id);
		if (before?.text === text && !isRefused) return before.one;
		const second = Math.floor(clock.nowMs() / SECOND_MS);
		const last = said.get(text);
		const twin = last?.second === second ? last.twin + 1 : 1;
		const one = last === undefined ? text : withTime(text, twin);
		said.set(text, { second, twin: last === undefined ? 0 : twin });
		given.set(id, { text, one });
		return one;
	};

	function withTime(text: string, twin: number): string {
		const time = new Date(clock.nowMs()).toISOString().slice(11, 19);
		const tail = ` · ${time} UTC${twin === 1 ? "" : ` (${twin})`}`;
		const most = lengthMax - lengthOf(tail).weighted;
		if (lengthOf(text).weighted <= most) return `${text}${tail}`;
		return `${lineOf(text, { lengthMax: most, asOfMs: null, nowMs: 0 })}${tail}`;
	}
}

/** Returns the text as of now: the line with its age, cut between words, and what follows it. */
export function sayNow(
	{ text, asOf, tail }: Draft,
	{ lengthMax, nowMs }: { lengthMax: number; nowMs: number },
): string {
	if (text === "") return tail;
	const most = Math.min(LINE_LENGTH_MAX, lengthMax - (tail === "" ? 0 : lengthOf(tail).weighted));
	const asOfMs = asOf === null ? null : Date.parse(asOf);
	return `${lineOf(text, { lengthMax: most, asOfMs, nowMs })}${tail}`;
}

/** Returns the whole line, with its transaction and as many of its links as fit. */
function privately(reply: Reply, terms: RenderTerms): Draft {
	return { text: reply.line, asOf: reply.asOf, tail: tailOf(reply, terms) };
}

function tailOf(
	{ links, code }: Reply,
	{ lengthMax, signInUrl, transaction }: RenderTerms,
): string {
	const ends = links.filter(isUseful).map(({ url }) => url);
	if (ends.length === 0 && code === "unauthorized" && signInUrl !== null) ends.push(signInUrl);
	if (transaction !== null) ends.unshift(`Transaction ${transaction}`);
	let tail = "";
	for (const end of ends) {
		// They may not take the line's reserved length.
		if (lengthOf(`${tail} ${end}`).weighted > lengthMax - LEAST_LINE) break;
		tail = `${tail} ${end}`;
	}
	return tail;
}

function isUseful({ url }: ToolLink): boolean {
	return /^https?:\/\//.test(url);
}

/** Returns true for private replies: of a tool that needs a profile, or with a link. */
function isPrivate({ links }: Reply, { tool }: RenderTerms): boolean {
	return tool?.access === "profile" || links.length > 0;
}

/** Makes a text public: hides addresses and hashes, and has no links. */
function publicly(text: string, asOf: string | null): Draft {
	return { text: text.replace(/0x[0-9a-f]{4,}(?:…[0-9a-f]{2,})?/gi, "0x…"), asOf, tail: "" };
}

/** Returns the public text about a private reply. */
function about(reply: Reply, { tool }: RenderTerms): string {
	switch (reply.kind) {
		case "choose":
			return "That fits several things.";
		case "help":
			return "I could not read that.";
		case "refused":
			return reply.code === "unauthorized"
				? "Your account here is not linked to a wallet."
				: "That was not done.";
		default:
			return doneWords(reply, tool);
	}
}

/** Returns the intent's status in words, without amounts or recipients. */
function doneWords({ data, links }: Reply, tool: AnyTool | null): string {
	if (links.length > 0) return "That waits for you: it needs your yes by a link.";
	if (tool === null || tool.effect === "read") return "That is for you alone.";
	const status = statusOf(data);
	return status === null ? "Done." : `It is ${status.replaceAll("_", " ")}.`;
}

/** Returns the status that an output names; null where it names none. */
export function statusOf(data: unknown): string | null {
	if (typeof data !== "object" || data === null || !("status" in data)) return null;
	const { status } = data;
	return typeof status === "string" && /^[a-z_]{1,40}$/.test(status) ? status : null;
}
