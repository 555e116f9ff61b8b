// Decides which texts are for the bot, and turns them into stored replies.

import type { Reply } from "#agent/contract.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import type { InboxDeps, Ring } from "#plugins/social/inbox/Inbox.ts";
import {
	EVENT_AGE_MAX_MS,
	EVENT_AHEAD_MAX_MS,
	EVENTS_PER_AUTHOR_HOUR_MAX,
	PRIVATE_AGE_MAX_MS,
	REPLY_AGE_MAX_MS,
	RUNNING_RETRY_MS,
	TEXT_CHARS_MAX,
	THINKING_ATTEMPTS_MAX,
	UNLINKED_PER_AUTHOR_DAY_MAX,
} from "#plugins/social/limits.ts";
import { type Rendered, renderReplies } from "#plugins/social/renderReplies.ts";
import { type Contact, readContact } from "#plugins/social/sql/contacts.ts";
import { admitEvent, endEvent, type SocialEvent, waitEvent } from "#plugins/social/sql/events.ts";
import {
	insertReplies,
	keepUnlinked,
	type NewReply,
	releaseHeld,
} from "#plugins/social/sql/replies.ts";
import { BLANK, trimmed, type Written } from "#plugins/social/x/readActivity.ts";
import type { Seal } from "#plugins/social/x/userTokens.ts";

/** Why the bot does not answer. Every reason is stored, for operators. */
type Silence =
	| "self"
	| "automated"
	| "ignored_account"
	| "not_direct"
	| "repost"
	| "edited"
	| "unreadable"
	| "not_named";

export type SpeakerTerms = {
	/** The account whose credentials are set: what X delivers for another one is for nobody here. */
	botId: string;
	/** Without `@`; null: the bot cannot be mentioned. */
	botName: string | null;
	ignoredIds: ReadonlySet<string>;
	nowMs: number;
};

/** `late`: it was for the bot, but too long ago for anything but `stop`. */
type Judged = { kind: "heard" | "late"; command: string } | { kind: "ignored"; reason: Silence };

/** Works on one event that this process has taken: ends in stored replies, or a reason for none. */
type Think = (event: SocialEvent) => Promise<void>;

type Finish = {
	rendered: Rendered;
	canDm: boolean;
	/** Held replies for the author are sent now. */
	released: boolean;
	/** The command of an author without a profile that would have moved value. */
	unlinked: string | null;
};

const EPOCH_MS = 1_288_834_974_657n;

const SEALED = "s:";
const PLAIN = "p:";

/**
 * Encrypts a private text for the database while it waits, and decrypts it: it may hold a link that
 * confirms a payment. Without the deployment's secret it is stored unencrypted.
 */
export const privateBody = {
	close(text: string, seal: Seal | null): string {
		if (seal === null) return `${PLAIN}${text}`;
		return `${SEALED}${Buffer.from(seal.close(text)).toString("base64")}`;
	},
	/** Returns the text; null if it was sealed with another secret. */
	open(body: string, seal: Seal | null): string | null {
		if (body.startsWith(PLAIN)) return body.slice(PLAIN.length);
		if (seal === null || !body.startsWith(SEALED)) return null;
		return seal.open(Buffer.from(body.slice(SEALED.length), "base64"));
	},
};

const LINK = /^["']?link["']?[.!]?$/i;

/**
 * Decides whether a person speaks to the bot, and returns the command: the text without the bot's
 * name at its beginning or end.
 */
export function judgeSpeaker(written: Written, terms: SpeakerTerms): Judged {
	const reason = silence(written, terms);
	if (reason !== null) return { kind: "ignored", reason };
	const command = withoutName(written.text, terms);
	const isNamed = written.via === "dm" || (names(written.text, terms) && command !== "");
	if (!isNamed) return { kind: "ignored", reason: "not_named" };
	const isLate = terms.nowMs - writtenAtMs(written.firstId) > EVENT_AGE_MAX_MS;
	return { kind: isLate ? "late" : "heard", command };
}

/**
 * Returns when a text was written, in Unix ms, from its id: X's ids contain the time. So a delivery
 * that is repeated much later counts as old.
 */
export function writtenAtMs(id: string): number {
	return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

/**
 * Makes the function that has the agent answer a text, and stores the replies in the transaction
 * that ends the event. The event's id is the idempotency key: if a process dies in between, the
 * next one makes the same request, and a payment is made once.
 */
export function createThink(deps: InboxDeps, ring: Ring): Think {
	const { core, wallets } = deps;
	const { db, clock } = core;
	const thought = core.metrics.counter({
		name: "social_answers_total",
		help: "Events of the social channel that were worked on, by what came of it.",
		labels: ["outcome"],
	});

	async function drop(event: SocialEvent, reason: string): Promise<void> {
		thought.inc({ outcome: reason });
		const at = new Date(clock.nowMs());
		await db.transaction((tx) => endEvent(tx, event, { move: "drop", reason, at }));
	}

	async function finish(event: SocialEvent, given: Finish): Promise<void> {
		const at = new Date(clock.nowMs());
		const store = () =>
			db.transaction(async (tx) => {
				const ended = await endEvent(tx, event, { move: "answer", reason: null, at });
				if (!ended) return false;
				await insertReplies(tx, repliesOf(event, given, { deps, nowMs: at.getTime() }), at);
				if (given.released) await releaseHeld(tx, { authorId: event.authorId, at });
				if (given.unlinked !== null) {
					const since = new Date(at.getTime() - DAY_MS);
					const row = { eventId: event.id, authorId: event.authorId, command: given.unlinked };
					const quota = { since, max: UNLINKED_PER_AUTHOR_DAY_MAX };
					await keepUnlinked(tx, { ...row, reason: "no_profile", at }, quota);
				}
				return true;
			});
		const isOurs = await deps.steps.run("social.finish", store);
		thought.inc({ outcome: isOurs ? "answered" : "taken_over" });
		if (isOurs) ring();
	}

	return async (event) => {
		const nowMs = clock.nowMs();
		if (nowMs - event.writtenAt.getTime() > EVENT_AGE_MAX_MS) return await drop(event, "too_old");
		if (event.attempts > THINKING_ATTEMPTS_MAX) return await drop(event, "failed");
		const contact = await readContact(db, event.authorId);
		if (contact.isStopped) return await drop(event, "stopped");
		const since = new Date(nowMs - HOUR_MS);
		const limit = { since, max: EVENTS_PER_AUTHOR_HOUR_MAX };
		const isAdmitted = await db.transaction((tx) => admitEvent(tx, event, limit));
		if (!isAdmitted) return await drop(event, "author_limit");
		if (isLink(event.text)) {
			return await finish(event, await linkAnswer(event, contact, deps));
		}
		const profile = await wallets.profileOfSocial(event.authorId);
		const reply = await deps.steps.run("social.ask", () =>
			deps.agent.handle({
				text: event.text,
				caller: callerOf(profile?.id ?? null),
				idempotencyKey: `social:${event.id}`,
				guest: `social:${event.authorId}`,
				signal: deps.ending,
			}),
		);
		if (reply.code === "request_running") {
			return await waitEvent(db, event, new Date(clock.nowMs() + RUNNING_RETRY_MS));
		}
		// The service ends: the process that takes over makes the same request.
		if (deps.ending.aborted) return;
		const tool = reply.tool === null ? null : deps.toolOf(reply.tool);
		const moves = tool === null ? reply.code === "unauthorized" : tool.effect !== "read";
		const rendered = renderReplies(reply, { via: event.via, tool, ...termsOf(contact, deps) });
		await finish(event, {
			rendered,
			canDm: contact.canDm || event.via === "dm",
			released: false,
			unlinked: profile === null && moves ? unlinkedOf(reply) : null,
		});
	};
}

function silence(written: Written, { botId, ignoredIds, nowMs }: SpeakerTerms): Silence | null {
	if (written.authorId === botId) return "self";
	if (written.isAutomated) return "automated";
	if (ignoredIds.has(written.authorId)) return "ignored_account";
	if (written.forId !== botId) return "not_direct";
	if (written.isRepost) return "repost";
	// An edited text: the first version was handled, or was ignored; no other version counts.
	if (written.id !== written.firstId) return "edited";
	if (!written.isReadable || [...written.text].length > TEXT_CHARS_MAX) return "unreadable";
	return writtenAtMs(written.firstId) - nowMs > EVENT_AHEAD_MAX_MS ? "unreadable" : null;
}

function withoutName(text: string, { botName }: SpeakerTerms): string {
	if (botName === null) return text;
	const first = text.replace(nameOf(botName, `^${BLANK}*`), "");
	return trimmed(first.replace(nameOf(botName, "", `(?:${BLANK}|[.!?])*$`), ""));
}

/**
 * Matches a mention as X does: a letter, a digit or some signs next to it make it no mention, and
 * neither does the name of a list (`@bot/list`).
 */
function nameOf(botName: string, before: string, after = ""): RegExp {
	return new RegExp(
		`${before}(?<![\\p{L}\\p{N}_@＠!#$%&*])[@＠]${botName}(?![\\p{L}\\p{N}_@＠]|/[a-z]|://)${after}`,
		"iu",
	);
}

function names(text: string, { botName }: SpeakerTerms): boolean {
	return botName !== null && nameOf(botName, "").test(text);
}

function repliesOf(
	{ id: eventId, authorId, sourceId }: SocialEvent,
	{ rendered: { post, dm }, canDm }: Finish,
	{ deps, nowMs }: { deps: InboxDeps; nowMs: number },
): NewReply[] {
	const replies: NewReply[] = [];
	const goodUntil = new Date(nowMs + REPLY_AGE_MAX_MS);
	if (post !== null) {
		const shown = { via: "post", toId: sourceId, body: post, state: "ready" } as const;
		replies.push({ eventId, authorId, ...shown, goodUntil });
	}
	if (dm !== null) {
		const body = privateBody.close(dm, deps.seal);
		const state = canDm ? "ready" : "held";
		const until = new Date(nowMs + PRIVATE_AGE_MAX_MS);
		replies.push({ eventId, authorId, via: "dm", toId: authorId, body, state, goodUntil: until });
	}
	return replies;
}

function isLink(text: string): boolean {
	return LINK.test(text);
}

/** Sends what was held for the author; where nothing was, replies with the sign-in address. */
async function linkAnswer(
	{ via, authorId }: SocialEvent,
	contact: Contact,
	deps: InboxDeps,
): Promise<Finish> {
	const { db } = deps.core;
	const { signInUrl, lengthMax } = termsOf(contact, deps);
	const base = { canDm: true, released: true, unlinked: null };
	if (via === "post") {
		const post = contact.canDm
			? "I sent it to you by direct message."
			: "Send me the word link by direct message: I may only answer there.";
		const dm = contact.canDm ? `Sign in here: ${signInUrl}`.slice(0, lengthMax) : null;
		return { ...base, released: contact.canDm, rendered: { post, dm } };
	}
	const held = await db.query(
		"select from social.reply where state = 'held' and author_id = $1 and good_until > $2 limit 1",
		[authorId, new Date(deps.core.clock.nowMs())],
	);
	const dm = held.length > 0 ? null : `Sign in here: ${signInUrl}`.slice(0, lengthMax);
	return { ...base, rendered: { post: null, dm } };
}

function termsOf({ canDm }: Contact, { config }: InboxDeps) {
	const signInUrl = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
	return { canDm, lengthMax: config.MAX_REPLY_LENGTH, signInUrl };
}

/** Returns the caller: the author of exactly this post or message. */
function callerOf(profileId: string | null): Caller {
	const authority = profileId === null ? "none" : "author";
	return { channel: "social", profileId, authority };
}

function unlinkedOf({ code, command }: Reply): string | null {
	return code === "unauthorized" ? command : null;
}
