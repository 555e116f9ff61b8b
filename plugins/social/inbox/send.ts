// Sends replies once, and looks on X for those that may have been sent.

import { Fault, unreachable } from "#core/fault.ts";
import { createWindows, type ReadBudget } from "#plugins/social/budgets.ts";
import type { InboxDeps } from "#plugins/social/inbox/Inbox.ts";
import { privateBody } from "#plugins/social/inbox/think.ts";
import { DM_WAIT_MS, LOOK_PAGE_MAX, LOOKS_AFTER_MS, X_PAUSE_MS } from "#plugins/social/limits.ts";
import { createUnlike, dmWords } from "#plugins/social/renderReplies.ts";
import { readContact } from "#plugins/social/sql/contacts.ts";
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
	findPost,
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
	const pausedUntilMs = { post: 0, dm: 0 };
	const windows = createWindows(clock);
	const sent = metrics.counter({
		name: "social_replies_total",
		help: "Replies that X was told, by how and by what came of it.",
		labels: ["via", "outcome"],
	});

	async function send(reply: SocialReply): Promise<void> {
		const text = await rendered(reply);
		const { isStopped } = await readContact(db, reply.authorId);
		if (text === null || isStopped) {
			const reason = isStopped ? "stopped" : "unreadable";
			// X was not called: `ready` is the state that a reply can be given up from.
			await moveReply(db, reply, { move: "postpone", to: "ready", at: now(), reason });
			await moveReply(db, reply, { move: "give_up", to: "unanswered", at: now(), reason });
			return;
		}
		const said = await deps.steps.run("social.say", () =>
			reply.via === "post"
				? postOnX(deps.x, { text, replyTo: reply.toId })
				: messageOnX(deps.x, { text, to: reply.toId }),
		);
		windows.answered(
			reply.via,
			"window" in said ? said.window : null,
			said.kind === "limited" && !said.isUnpaid,
		);
		sent.inc({ via: reply.via, outcome: said.kind });
		if (said.kind === "refused" || said.kind === "unsent") {
			log.warn("X did not take a reply", { via: reply.via, reason: said.reason });
		}
		await deps.steps.run("social.store", () => store(reply, said));
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

	async function store(reply: SocialReply, said: Said): Promise<void> {
		if (said.kind === "refused" && said.reason === DUPLICATE) return await storeDuplicate(reply);
		const { change, pauseUntilMs } = changeOf(said, clock.nowMs());
		await moveReply(db, reply, change);
		if (pauseUntilMs === null) return;
		pausedUntilMs[reply.via] = Math.max(pausedUntilMs[reply.via], pauseUntilMs);
		await postponeReplies(db, { via: reply.via, until: new Date(pauseUntilMs) });
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

	const now = () => new Date(clock.nowMs());
	return { send, take };
}

/**
 * Makes the function that returns the text for X, and stores it first: a try after this one sends
 * the same, unless X refused it as a duplicate of another answer.
 */
function createRendered(deps: InboxDeps): (reply: SocialReply) => Promise<string | null> {
	const { db, clock } = deps.core;
	const unlike = createUnlike({ clock, lengthMax: deps.config.MAX_REPLY_LENGTH });
	return async (reply) => {
		const text = textOf(reply, deps);
		const isRefused = reply.reason === DUPLICATE;
		if (text === null || reply.via === "dm" || (reply.isRendered && !isRefused)) return text;
		const isWhole = reply.isRendered || !reply.tellsDm;
		const whole = isWhole ? text : `${text} ${dmWords(await readDmState(db, reply.eventId))}`;
		const body = unlike(whole, { id: reply.eventId, isRefused });
		await renderReply(db, reply, body);
		return body;
	};
}

/**
 * Makes the function that resolves uncertain replies. A reply that is found is `sent`. If the last
 * look does not find it, it ends with that reason: X may show it late, so it is never sent again.
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
		const text = textOf(reply, deps);
		if (text === null) return null;
		try {
			return await reads.spend(LOOK_PAGE_MAX, async (used) => {
				if (reply.via === "post") {
					return await findPost(deps.x, { replyTo: reply.toId, used });
				}
				const [, afterId = "0"] = reply.eventId.split(":");
				const found = await findMessages(deps.x, { to: reply.toId, text, afterId, used });
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

/** Returns the text to send; null where it cannot be decrypted any more. */
function textOf({ via, body }: SocialReply, { seal }: Pick<InboxDeps, "seal">): string | null {
	if (body === null) return null;
	return via === "post" ? body : privateBody.open(body, seal);
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
