// Sends replies once, and searches X for those that may have been sent.

import type { Tx } from "#core/db/Database.ts";
import { Fault, unreachable } from "#core/fault.ts";
import { createWindows, type ReadBudget } from "#plugins/social/budgets.ts";
import { createTellNow, privateBody, readKept, textOf } from "#plugins/social/inbox/drafts.ts";
import type { InboxDeps } from "#plugins/social/inbox/Inbox.ts";
import { termsOf } from "#plugins/social/inbox/think.ts";
import { DM_WAIT_MS, LOOK_PAGE_MAX, LOOKS_AFTER_MS, X_PAUSE_MS } from "#plugins/social/limits.ts";
import { createUnlike, dmWords, sayNow } from "#plugins/social/renderReplies.ts";
import { readContact } from "#plugins/social/sql/contacts.ts";
import { endOrder } from "#plugins/social/sql/orders.ts";
import {
	isSentId,
	moveReply,
	postponeReplies,
	type ReplyChange,
	readDmState,
	renderReply,
	type SocialReply,
	takeReplies,
	type Weight,
} from "#plugins/social/sql/replies.ts";
import {
	DUPLICATE,
	findMessages,
	findPosts,
	messageOnX,
	postOnX,
	type Said,
} from "#plugins/social/x/say.ts";

/** Sends one reply that this process has taken, once, and stores the result. */
type Send = (reply: SocialReply) => Promise<void>;

type Sending = {
	send: Send;
	/** Takes replies that X's limits have room for now; `limit` is how many can be worked on. */
	take(limit: number): Promise<SocialReply[]>;
};

/**
 * Holds the text for X. `taken`: another process has the reply. `silent`: it is not sent, and why.
 */
type Rendering =
	| { kind: "text"; text: string }
	| { kind: "taken" }
	| { kind: "silent"; reason: string };

/** Looks on X for a reply whose sending is uncertain, and stores the result. */
type LookFor = (reply: SocialReply) => Promise<void>;

/** Returns the id that X gave a reply; null where it is not found. */
type Look = (reply: SocialReply) => Promise<string | null>;

const WAYS = ["post", "dm"] as const;
/** Links and money are taken first: what they need of X's window nothing else may use. */
const CLASSES: readonly (readonly ["urgent" | "plain", readonly Weight[]])[] = [
	["urgent", [2]],
	["plain", [1, 0]],
];

const UNSENT_RETRY_MS = 5_000;
/**
 * The delay is this times the square of the number of tries: fewer than twenty tries in half an
 * hour.
 */
const DUPLICATE_RETRY_MS = 1_000;

/**
 * Makes the sender. The reply's row is `sending` before X is called, so a crash leaves a row that
 * is looked for, and never sent again.
 */
export function createSending(deps: InboxDeps, look: Look): Sending {
	const { db, clock, log, metrics } = deps.core;
	const rendered = createRendered(deps);
	const store = createStore(deps, look);
	const pausedUntilMs = { post: 0, dm: 0 };
	const windows = createWindows(clock);
	const sent = metrics.counter({
		name: "social_replies_total",
		help: "Replies that X was told, by how and by what came of it.",
		labels: ["via", "outcome"],
	});

	async function send(reply: SocialReply): Promise<void> {
		const text = await textNow(reply);
		if (text === null) return;
		const said = await deps.steps.run("social.say", () =>
			reply.via === "post"
				? postOnX(deps.x, { text, replyTo: reply.toId })
				: messageOnX(deps.x, { text, to: reply.toId }),
		);
		windows.answered(
			reply.via,
			"window" in said ? said.window : null,
			said.kind === "limited" && !said.isUnpaid ? said.untilMs : null,
		);
		sent.inc({ via: reply.via, outcome: said.kind });
		if (said.kind === "refused" || said.kind === "unsent") {
			log.warn("X did not take a reply", { via: reply.via, reason: said.reason });
		}
		const untilMs = await deps.steps.run("social.store", () => store(reply, said));
		pausedUntilMs[reply.via] = Math.max(pausedUntilMs[reply.via], untilMs ?? 0);
	}

	/** Returns the text for X; null where nothing is to be sent, and then X was not called. */
	async function textNow(reply: SocialReply): Promise<string | null> {
		let rendering: Rendering | null = null;
		try {
			const { isStopped } = await readContact(db, reply.authorId);
			rendering = isStopped ? { kind: "silent", reason: "stopped" } : await rendered(reply);
		} finally {
			if (rendering?.kind !== "text") windows.giveBack(reply.via);
		}
		if (rendering.kind === "text") return rendering.text;
		if (rendering.kind === "taken") return null;
		const { reason } = rendering;
		// `ready` is the state that a reply can be given up from.
		await moveReply(db, reply, { move: "postpone", to: "ready", at: now(), reason });
		await moveReply(db, reply, { move: "give_up", to: "unanswered", at: now(), reason });
		return null;
	}

	async function take(limit: number): Promise<SocialReply[]> {
		const taken: SocialReply[] = [];
		for (const via of WAYS) {
			if (pausedUntilMs[via] > clock.nowMs()) continue;
			for (const [kind, weights] of CLASSES) {
				const room = windows.room(via);
				const most = Math.min(limit - taken.length, room[kind]);
				if (most <= 0) continue;
				const share = room.share && { since: room.share.since, max: room.share[kind] };
				const terms = { via, at: now(), limit: most, weights, share, dmWaitMs: DM_WAIT_MS };
				const more = await takeReplies(db, terms);
				windows.take(via, more.length);
				taken.push(...more);
			}
		}
		return taken;
	}

	const now = () => new Date(clock.nowMs());
	return { send, take };
}

/** Makes the function that stores X's answer to a reply; returns until when X asks for a pause. */
function createStore({ core }: InboxDeps, look: Look) {
	const { db, clock } = core;
	const now = () => new Date(clock.nowMs());

	async function store(reply: SocialReply, said: Said): Promise<number | null> {
		if (said.kind === "refused" && said.reason === DUPLICATE) {
			await storeDuplicate(reply);
			return null;
		}
		const { change, pauseUntilMs } = changeOf(said, clock.nowMs());
		// What an earlier try said X may have: that stays the text.
		const isUnheard = said.kind === "unsent" && reply.said === null;
		await moveReply(db, reply, { ...change, isUnheard });
		if (pauseUntilMs === null) return null;
		await postponeReplies(db, { via: reply.via, until: new Date(pauseUntilMs) });
		return pauseUntilMs;
	}

	/**
	 * Handles a text that X refused as a duplicate, mostly of an answer to another account: it is
	 * sent again after a pause, slightly changed. If an earlier try of this same reply may be the
	 * duplicate, that is looked for first.
	 */
	async function storeDuplicate(reply: SocialReply): Promise<void> {
		const isFirst = reply.attempts <= 1 || reply.reason === DUPLICATE;
		const sentId = isFirst ? null : await look(reply);
		if (sentId !== null) {
			await moveReply(db, reply, { move: "deliver", to: "sent", at: now(), sentId });
			return;
		}
		const dueAt = new Date(clock.nowMs() + reply.attempts ** 2 * DUPLICATE_RETRY_MS);
		const waits = { move: "postpone", to: "ready", at: now(), reason: DUPLICATE, dueAt } as const;
		await moveReply(db, reply, waits);
	}

	return store;
}

/**
 * Makes the function that renders the text for X as of now, and stores it first: a retry sends the
 * same, unless X refused it as a duplicate of another answer. If the text reports the end of an
 * order, that is recorded in the same transaction, so that no notice reports it again.
 */
function createRendered(deps: InboxDeps): (reply: SocialReply) => Promise<Rendering> {
	const { db, clock } = deps.core;
	const terms = termsOf(deps);
	const tellNow = createTellNow(deps, terms);
	const unlike = createUnlike({ clock, lengthMax: terms.lengthMax });

	async function store(reply: SocialReply, text: string, ended: string | null): Promise<Rendering> {
		const body = reply.via === "post" ? text : privateBody.close(text, deps.seal);
		const at = new Date(clock.nowMs());
		const storeIt = () =>
			db.transaction(async (tx) => {
				const isStored = await renderReply(tx, reply, body);
				if (isStored && ended !== null && (await tellsEnd(tx, reply))) {
					await endOrder(tx, ended, { move: "tell", at });
				}
				return isStored;
			});
		const isMine = await deps.steps.run("social.render", storeIt);
		return isMine ? { kind: "text", text } : { kind: "taken" };
	}

	/** Returns true where its author gets a notice in the same way: then this text is that notice. */
	async function tellsEnd(tx: Tx, { via, authorId }: SocialReply): Promise<boolean> {
		return via === "dm" || !(await readContact(tx, authorId)).canDm;
	}

	return async (reply) => {
		const { via, body, said } = reply;
		const stored = textOf(said ?? body, { via, seal: deps.seal });
		if (stored === null) return { kind: "silent", reason: "unreadable" };
		const id = `${reply.part}:${reply.eventId}`;
		const isRefused = reply.reason === DUPLICATE;
		if (said !== null) {
			if (!isRefused || via === "dm") return { kind: "text", text: stored };
			return await store(reply, unlike(stored, { id, isRefused }), null);
		}
		const told = await tellNow(readKept(stored), reply);
		if (told === null) return { kind: "silent", reason: "unlinked" };
		const line = sayNow(told.draft, { ...terms, nowMs: clock.nowMs() });
		if (line === "") return { kind: "silent", reason: "unreadable" };
		if (via === "dm") return await store(reply, line, told.ended);
		const words = reply.tellsDm ? ` ${dmWords(await readDmState(db, reply.eventId))}` : "";
		return await store(reply, unlike(`${line}${words}`, { id, isRefused }), told.ended);
	};
}

/**
 * Makes the function that resolves uncertain replies. A reply that is found is `sent`. If the last
 * search does not find it, it ends with that reason: X may show it late, so it is never sent again.
 */
export function createLookFor(deps: InboxDeps, look: Look): LookFor {
	const { db, clock } = deps.core;
	return async (reply) => {
		const at = new Date(clock.nowMs());
		const sentId = await look(reply);
		if (sentId !== null) {
			await moveReply(db, reply, { move: "deliver", to: "sent", at, sentId });
			return;
		}
		const next = LOOKS_AFTER_MS[reply.attempts];
		if (next === undefined) {
			const reason = "sending_uncertain";
			await moveReply(db, reply, { move: "give_up", to: "unanswered", at, reason });
			return;
		}
		const dueAt = new Date(at.getTime() + next);
		await moveReply(db, reply, { move: "look", to: "uncertain", at, dueAt });
	};
}

/** Makes the search through the bot's own posts or messages, within the monthly budget of reads. */
export function createLook(deps: InboxDeps, reads: ReadBudget): Look {
	const { db, log } = deps.core;
	return async (reply) => {
		const text = textOf(reply.said, { via: reply.via, seal: deps.seal });
		if (text === null) return null;
		try {
			return await reads.spend(LOOK_PAGE_MAX, async (used) => {
				const [, afterId = "0"] = reply.eventId.split(":");
				const found =
					reply.via === "post"
						? await findPosts(deps.x, { replyTo: reply.toId, used })
						: await findMessages(deps.x, { to: reply.toId, text, afterId, used });
				for (const id of found) if (!(await isSentId(db, id))) return id;
				return null;
			});
		} catch (error) {
			if (!(error instanceof Fault)) throw error;
			log.warn("a reply could not be looked for", { via: reply.via, code: error.code });
			return null;
		}
	};
}

function changeOf(said: Said, nowMs: number): { change: ReplyChange; pauseUntilMs: number | null } {
	const at = new Date(nowMs);
	switch (said.kind) {
		case "sent":
			return {
				change: { move: "deliver", to: "sent", at, sentId: said.id },
				pauseUntilMs: null,
			};
		case "refused":
			return {
				change: { move: "refuse", to: "refused", at, reason: said.reason },
				pauseUntilMs: null,
			};
		case "limited": {
			const dueAt = new Date(said.untilMs);
			const reason = said.isUnpaid ? "http_402" : "rate_limited";
			return {
				change: { move: "postpone", to: "ready", at, reason, dueAt },
				pauseUntilMs: said.untilMs,
			};
		}
		case "unsent": {
			const dueAt = new Date(nowMs + UNSENT_RETRY_MS);
			return {
				change: { move: "postpone", to: "ready", at, reason: said.reason, dueAt },
				pauseUntilMs: null,
			};
		}
		case "unknown": {
			const dueAt = new Date(nowMs + (LOOKS_AFTER_MS[0] ?? X_PAUSE_MS));
			return {
				change: { move: "doubt", to: "uncertain", at, reason: "uncertain", dueAt, attempts: 0 },
				pauseUntilMs: null,
			};
		}
		default:
			return unreachable(said);
	}
}
