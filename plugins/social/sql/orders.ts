// Reads and writes the orders that are followed to their ends.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { nextState } from "#core/states.ts";
import { ORDER_LOOK_MAX_MS, ORDER_LOOK_MS } from "#plugins/social/limits.ts";
import { type OrderMove, orderMoves } from "#plugins/social/socialStates.ts";

/** An order, with the text that began it or took it back first. */
export type FollowedOrder = {
	orderId: string;
	eventId: string;
	/** Says whether the order was written as a post or a direct message, and the post to answer. */
	via: "post" | "dm";
	sourceId: string;
	authorId: string;
	/** The tool that reads it. */
	tool: string;
	profileId: string;
	createdAt: Date;
};

type NewOrder = Pick<FollowedOrder, "orderId" | "eventId" | "tool" | "profileId">;

/** Follows an order from now on; one that is followed already, or was, stays as it is. */
export async function insertOrder(
	tx: Tx,
	{ orderId, eventId, tool, profileId }: NewOrder,
	at: Date,
): Promise<void> {
	await tx.execute(
		`insert into social.followed_order (order_id, event_id, tool, profile_id, state, due_at,
			created_at, changed_at)
		values ($1, $2, $3, $4, 'open', $6, $5, $5) on conflict do nothing`,
		[orderId, eventId, tool, profileId, at, new Date(at.getTime() + ORDER_LOOK_MS)],
	);
}

/**
 * Takes orders to check, and sets the time of the next check: after an eighth of their age, so that
 * an old one costs little. Processes skip what another has locked. By `followed_order_open`.
 */
export async function takeOrders(
	db: Queryable,
	{ at, limit }: { at: Date; limit: number },
): Promise<FollowedOrder[]> {
	return await db.query<FollowedOrder>(
		`update social.followed_order o set due_at = $1::timestamptz + least(
				$3 * interval '1 millisecond',
				greatest($4 * interval '1 millisecond', ($1::timestamptz - o.created_at) / 8)
			)
		from social.event e
		where e.id = o.event_id and o.order_id in (
			select order_id from social.followed_order where state = 'open' and due_at <= $1
			order by due_at limit $2 for update skip locked
		)
		returning o.order_id as "orderId", o.event_id as "eventId", e.via, e.source_id as "sourceId",
			e.author_id as "authorId", o.tool, o.profile_id as "profileId", o.created_at as "createdAt"`,
		[at, limit, ORDER_LOOK_MAX_MS, ORDER_LOOK_MS],
	);
}

/** Ends the following of an order; returns false where it had ended. */
export async function endOrder(
	db: Queryable,
	orderId: string,
	{ move, at }: { move: OrderMove; at: Date },
): Promise<boolean> {
	const changed = await db.execute(
		`update social.followed_order set state = $2, changed_at = $3
		where order_id = $1 and state = 'open'`,
		[orderId, nextState(orderMoves, "open", move), at],
	);
	return changed > 0;
}
