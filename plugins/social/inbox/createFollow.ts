// Follows orders that began by a text, and reports each end once.

import { Fault } from "#core/fault.ts";
import { contextOf, keep, privateBody } from "#plugins/social/inbox/drafts.ts";
import type { InboxDeps, Ring } from "#plugins/social/inbox/Inbox.ts";
import { NOTICE_AGE_MAX_MS, ORDER_AGE_MAX_MS, ORDERS_AT_ONCE } from "#plugins/social/limits.ts";
import { readContact } from "#plugins/social/sql/contacts.ts";
import { lockAuthor } from "#plugins/social/sql/events.ts";
import { endOrder, type FollowedOrder, takeOrders } from "#plugins/social/sql/orders.ts";
import { insertReplies, isAnswerOpen, type NewReply } from "#plugins/social/sql/replies.ts";

/**
 * Makes the function that checks the orders that are due. An end is reported by one notice: by
 * direct message where its author may get one, else in public, and there only its status. An answer
 * that is not sent yet reports it itself.
 */
export function createFollow(deps: InboxDeps, ring: Ring): () => Promise<void> {
	const { core, wallets } = deps;
	const { db, clock, log } = core;
	const now = () => new Date(clock.nowMs());

	async function follow(order: FollowedOrder): Promise<void> {
		const { orderId, profileId, authorId, createdAt } = order;
		const profile = await wallets.profileOfSocial(authorId);
		if (profile?.id !== profileId) {
			await endOrder(db, orderId, { move: "close", at: now() });
			return;
		}
		const tool = deps.toolOf(order.tool);
		if (!tool?.order) return;
		const output: unknown = await tool.order.read(orderId, contextOf(profileId, deps.ending));
		const isOld = clock.nowMs() - createdAt.getTime() > ORDER_AGE_MAX_MS;
		if (tool.order.end(output) === null && !isOld) return;
		await tell(order, tool.line(output));
	}

	async function tell(order: FollowedOrder, text: string): Promise<void> {
		const store = () =>
			db.transaction(async (tx) => {
				await lockAuthor(tx, order.authorId);
				const { canDm, isStopped } = await readContact(tx, order.authorId);
				const via = order.via === "dm" || canDm ? "dm" : "post";
				if (await isAnswerOpen(tx, { eventId: order.eventId, via })) return false;
				const move = isStopped ? "close" : "tell";
				const isMine = await endOrder(tx, order.orderId, { move, at: now() });
				if (!isMine || isStopped) return false;
				await insertReplies(tx, [noticeOf(order, { via, text })], now());
				return true;
			});
		if (await deps.steps.run("social.tell", store)) ring();
	}

	function noticeOf(
		{ eventId, authorId, sourceId, orderId, tool, profileId }: FollowedOrder,
		{ via, text }: { via: "post" | "dm"; text: string },
	): NewReply {
		const about = { kind: "order", tool, id: orderId, status: null } as const;
		// In public the order is read again, or nothing is said: this line is for its owner.
		const line = via === "dm" ? text : "";
		const kept = keep({ text: line, asOf: null, tail: "", profileId, about });
		return {
			...{ eventId, part: "notice", via, authorId, state: "ready", weight: 1, tellsDm: false },
			toId: via === "dm" ? authorId : sourceId,
			body: via === "dm" ? privateBody.close(kept, deps.seal) : kept,
			goodUntil: new Date(clock.nowMs() + NOTICE_AGE_MAX_MS),
		};
	}

	return async () => {
		const due = await takeOrders(db, { at: now(), limit: ORDERS_AT_ONCE });
		await Promise.all(
			due.map((order) =>
				follow(order).catch((error) => {
					// It stays open, and its next look is due already; it holds up nothing else.
					const level = error instanceof Fault ? "warn" : "error";
					log[level]("an order could not be followed now", { tool: order.tool, error });
				}),
			),
		);
	};
}
