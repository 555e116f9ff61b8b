import { unreachable } from "#core/fault/unreachable.ts";
import type { InboxDeps } from "#plugins/social/inbox/Inbox.ts";
import type { Look } from "#plugins/social/inbox/lookFor.ts";
import { privateBody } from "#plugins/social/inbox/privateBody.ts";
import { LOOKS_AFTER_MS, X_PAUSE_MS } from "#plugins/social/limits.ts";
import { createUnlike } from "#plugins/social/reply/createUnlike.ts";
import { readContact } from "#plugins/social/sql/contacts.ts";
import {
	moveReply,
	postponeReplies,
	type ReplyChange,
	type SocialReply,
} from "#plugins/social/sql/replies.ts";
import { DUPLICATE, messageOnX, postOnX, type Said } from "#plugins/social/x/sayOnX.ts";

/** Sends one reply that this process has taken, once, and stores the result. */
export type Send = (reply: SocialReply) => Promise<void>;

export type Sending = {
	send: Send;
	/** Returns the channels (posts, messages) that X's rate limit does not pause now. */
	open(): SocialReply["via"][];
};

const WAYS = ["post", "dm"] as const;

/**
 * Makes the sender. The reply's row is `sending` before X is called, so a crash leaves a row that
 * is looked for, and never sent again.
 */
export function createSending(deps: InboxDeps, look: Look): Sending {
	const { db, clock, log, metrics } = deps.core;
	const unlike = createUnlike({ clock, lengthMax: deps.config.MAX_REPLY_LENGTH });
	const pausedUntilMs = { post: 0, dm: 0 };
	const sent = metrics.counter({
		name: "social_replies_total",
		help: "Replies that X was told, by how and by what came of it.",
		labels: ["via", "outcome"],
	});

	async function send(reply: SocialReply): Promise<void> {
		const text = textOf(reply, deps);
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
				? postOnX(deps.x, { text: differing(text, reply), replyTo: reply.toId })
				: messageOnX(deps.x, { text, to: reply.toId }),
		);
		sent.inc({ via: reply.via, outcome: said.kind });
		if (said.kind === "refused" || said.kind === "unsent") {
			log.warn("X did not take a reply", { via: reply.via, reason: said.reason });
		}
		await deps.steps.run("social.store", () => store(reply, said));
	}

	function differing(text: string, { eventId, reason }: SocialReply): string {
		return unlike(text, { id: eventId, isRefused: reason === DUPLICATE });
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
	return { send, open: () => WAYS.filter((via) => pausedUntilMs[via] <= clock.nowMs()) };
}

/** Returns the text to send; null where it cannot be decrypted any more. */
export function textOf(
	{ via, body }: SocialReply,
	{ seal }: Pick<InboxDeps, "seal">,
): string | null {
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
			return {
				change: { move: "postpone", to: "ready", at, reason: "rate_limited", dueAt },
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

const UNSENT_RETRY_MS = 5_000;
/**
 * The delay is this times the square of the number of tries: fewer than twenty tries in half an
 * hour.
 */
const DUPLICATE_RETRY_MS = 1_000;
