// Reads and writes the texts written to the bot, and how far polling has read.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { PRUNE_ROWS_MAX } from "#plugins/social/limits.ts";
import { type EventState, eventsBefore } from "#plugins/social/socialStates.ts";

/** A text written to the bot, as it is stored. */
export type SocialEvent = {
	id: string;
	via: "post" | "dm";
	sourceId: string;
	authorId: string;
	text: string;
	writtenAt: Date;
	/** The post that began its conversation; null for messages, and where X does not say. */
	conversationId: string | null;
	/** Identifies this try of the work; an older try may not end it. */
	attempts: number;
};

export type NewEvent = Omit<SocialEvent, "attempts"> & {
	state: Extract<EventState, "received" | "ignored">;
	reason: string | null;
};

type EventEnd = {
	move: "answer" | "drop";
	/** Why the event is dropped; for an answered one, whether it was chatter. */
	reason: string | null;
	at: Date;
};

/**
 * The reason for ignoring a text that came for another account, or in a conversation of several.
 */
export const NOT_OURS = "not_direct";

/**
 * Stores events, each once by its id, and returns the ids of the new ones. One that came for
 * another account leaves its place to the same one for the bot: nothing was done about it. Always
 * in one order, so that two processes with the same events cannot deadlock.
 */
export async function insertEvents(
	tx: Tx,
	events: readonly NewEvent[],
	at: Date,
): Promise<string[]> {
	const sorted = [...events].sort((one, other) => (one.id < other.id ? -1 : 1));
	const column = <Value>(of: (event: NewEvent) => Value): Value[] => sorted.map(of);
	const rows = await tx.query<{ id: string }>(
		`insert into social.event as event (id, via, source_id, author_id, text, written_at,
			received_at, state, reason, changed_at, conversation_id)
		select id, via, source_id, author_id, text, written_at, $9, state, reason, $9, conversation_id
		from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
			$7::text[], $8::text[], $11::text[])
			as t (id, via, source_id, author_id, text, written_at, state, reason, conversation_id)
		on conflict (id) do update set author_id = excluded.author_id, text = excluded.text,
			source_id = excluded.source_id, written_at = excluded.written_at,
			received_at = excluded.received_at, conversation_id = excluded.conversation_id,
			state = excluded.state, reason = excluded.reason,
			changed_at = excluded.changed_at
			where event.state = 'ignored' and event.reason = $10
				and excluded.reason is distinct from $10
		returning id`,
		[
			column(({ id }) => id),
			column(({ via }) => via),
			column(({ sourceId }) => sourceId),
			column(({ authorId }) => authorId),
			column(({ text }) => text),
			column(({ writtenAt }) => writtenAt),
			column(({ state }) => state),
			column(({ reason }) => reason),
			at,
			NOT_OURS,
			column(({ conversationId }) => conversationId),
		],
	);
	return rows.map(({ id }) => id);
}

/**
 * Takes events to work on, oldest first: new ones, and those whose worker is overdue. Two processes
 * never take the same one: each skips rows that the other has locked. By `event_open`.
 */
export async function takeEvents(
	db: Queryable,
	{ at, heldUntil, limit }: { at: Date; heldUntil: Date; limit: number },
): Promise<SocialEvent[]> {
	const rows = await db.query<SocialEvent>(
		`update social.event set state = 'thinking', attempts = attempts + 1, held_until = $2,
			changed_at = $1
		where id in (
			select id from social.event
			where state in ('received', 'thinking') and (held_until is null or held_until <= $1)
			order by received_at limit $3 for update skip locked
		)
		returning id, via, source_id as "sourceId", author_id as "authorId", text,
			written_at as "writtenAt", conversation_id as "conversationId", attempts`,
		[at, heldUntil, limit],
	);
	return rows.sort((one, other) => one.writtenAt.getTime() - other.writtenAt.getTime());
}

/** Ends the work on an event; returns false where another process has taken it over. */
export async function endEvent(
	tx: Tx,
	{ id, attempts }: SocialEvent,
	{ move, reason, at }: EventEnd,
): Promise<boolean> {
	const changed = await tx.execute(
		`update social.event set state = $3, reason = $4, held_until = null, changed_at = $5
		where id = $1 and attempts = $2 and state = any($6)`,
		[id, attempts, move === "answer" ? "answered" : "dropped", reason, at, eventsBefore(move)],
	);
	return changed > 0;
}

/** Returns true if an author was answered before, within a day, on a text that is no command. */
export async function hasChattered(
	tx: Tx,
	{ authorId, at }: { authorId: string; at: Date },
): Promise<boolean> {
	const rows = await tx.query(
		`select from social.event where author_id = $1 and reason = 'chatter' and state = 'answered'
			and received_at >= $2::timestamptz - interval '1 day' limit 1`,
		[authorId, at],
	);
	return rows.length > 0;
}

/** Postpones an event whose first request still runs elsewhere. */
export async function waitEvent(
	db: Queryable,
	{ id, attempts }: SocialEvent,
	until: Date,
): Promise<void> {
	await db.execute(
		`update social.event set held_until = $3 where id = $1 and attempts = $2
			and state = any($4)`,
		[id, attempts, until, eventsBefore("wait")],
	);
}

/**
 * Lets an event through its author's limit, and returns false where the limit is reached. Events of
 * one author are counted one after the other, under a lock, so that many at once cannot pass
 * together; an event that was let through stays so when its work begins anew. By `event_author`.
 */
export async function admitEvent(
	tx: Tx,
	{ id, authorId }: Pick<SocialEvent, "id" | "authorId">,
	{ since, max }: { since: Date; max: number },
): Promise<boolean> {
	await lockAuthor(tx, authorId);
	const changed = await tx.execute(
		`update social.event set is_admitted = true
		where id = $1 and (is_admitted or $4 > (
			select count(*) from social.event where author_id = $2 and received_at >= $3 and is_admitted
		))`,
		[id, authorId, since, max],
	);
	return changed > 0;
}

/** Returns when the newest text arrived; null where none is kept. By `event_age`. */
export async function readNewestReceived(db: Queryable): Promise<Date | null> {
	const [row] = await db.query<{ at: Date }>(
		"select received_at as at from social.event order by received_at desc limit 1",
	);
	return row?.at ?? null;
}

/** Waits for what else counts texts or answers of an author. */
export async function lockAuthor(tx: Tx, authorId: string): Promise<void> {
	const lock = "select pg_advisory_xact_lock(hashtextextended('social.author:' || $1, 0))";
	await tx.query(lock, [authorId]);
}

/** Deletes events that were received longer ago, with their replies; returns the count. */
export async function pruneEvents(db: Queryable, keptMs: number): Promise<number> {
	return await db.execute(
		`delete from social.event where id in (
			select id from social.event where received_at < now() - $1 * interval '1 millisecond'
			order by received_at limit $2
		)`,
		[keptMs, PRUNE_ROWS_MAX],
	);
}

/** Returns the newest id that polling has read of a source; null before the first poll. */
export async function readPosition(db: Queryable, name: string): Promise<string | null> {
	const [row] = await db.query<{ newestId: string }>(
		`select newest_id as "newestId" from social.position where name = $1`,
		[name],
	);
	return row?.newestId ?? null;
}

/** Moves a position forward; ids grow, so it never goes back. */
export async function movePosition(
	db: Queryable,
	{ name, newestId, at }: { name: string; newestId: string; at: Date },
): Promise<void> {
	await db.execute(
		`insert into social.position as known (name, newest_id, changed_at) values ($1, $2, $3)
		on conflict (name) do update set newest_id = excluded.newest_id, changed_at = $3
			where known.newest_id::numeric < excluded.newest_id::numeric`,
		[name, newestId, at],
	);
}
