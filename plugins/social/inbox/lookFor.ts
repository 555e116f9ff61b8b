import { Fault } from "#core/fault/Fault.ts";
import type { InboxDeps } from "#plugins/social/inbox/Inbox.ts";
import { textOf } from "#plugins/social/inbox/send.ts";
import { LOOK_PAGE_MAX, LOOKS_AFTER_MS } from "#plugins/social/limits.ts";
import type { ReadBudget } from "#plugins/social/reads/createReadBudget.ts";
import { isSentId, moveReply, type SocialReply } from "#plugins/social/sql/replies.ts";
import { findMessages, findPost } from "#plugins/social/x/sayOnX.ts";

/** Looks on X for a reply whose sending is uncertain, and stores the result. */
export type LookFor = (reply: SocialReply) => Promise<void>;

/** Returns the id that X gave a reply; null where it is not found. */
export type Look = (reply: SocialReply) => Promise<string | null>;

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
