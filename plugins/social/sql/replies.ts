// Reads and writes replies, and commands of authors without a profile.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { PRUNE_ROWS_MAX } from "#plugins/social/limits.ts";
import { type ReplyMove, type ReplyState, repliesBefore } from "#plugins/social/socialStates.ts";

/** A reply, as it is stored. */
export type SocialReply = {
	eventId: string;
	via: "post" | "dm";
	/** The post that it answers, or the account that it is sent to. */
	toId: string;
	authorId: string;
	/** Encrypted if private; null once it is no longer needed. */
	body: string | null;
	state: ReplyState;
	/** Why it waits, or why it ended. */
	reason: string | null;
	attempts: number;
	createdAt: Date;
	goodUntil: Date;
};

export type NewReply = Pick<
	SocialReply,
	"eventId" | "via" | "toId" | "authorId" | "body" | "goodUntil"
> & { state: Extract<ReplyState, "held" | "ready"> };

export type ReplyChange = {
	move: ReplyMove;
	to: ReplyState;
	at: Date;
	reason?: string | null;
	sentId?: string | null;
	dueAt?: Date;
	/** Restarts the count of looks. */
	attempts?: number;
};

/** A command that moves value, from an author without a linked profile. */
export type UnlinkedTrade = {
	eventId: string;
	authorId: string;
	/** The command in its printed form. */
	command: string;
	reason: string;
	at: Date;
};

const COLUMNS = `event_id as "eventId", via, to_id as "toId", author_id as "authorId", body, state,
	reason, attempts, created_at as "createdAt", good_until as "goodUntil"`;

/** Stores replies; an event's existing reply stays unchanged. */
export async function insertReplies(tx: Tx, replies: readonly NewReply[], at: Date): Promise<void> {
	for (const { eventId, via, toId, authorId, body, state, goodUntil } of replies) {
		await tx.execute(
			`insert into social.reply (event_id, via, to_id, author_id, body, state, due_at, good_until,
				created_at, changed_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $7, $7) on conflict do nothing`,
			[eventId, via, toId, authorId, body, state, at, goodUntil],
		);
	}
}

/**
 * Takes replies that are due for sending, and marks them `sending` before X is called: from then on
 * X may have them. By `reply_open`.
 */
export async function takeReplies(
	db: Queryable,
	{ via, at, limit }: { via: readonly SocialReply["via"][]; at: Date; limit: number },
): Promise<SocialReply[]> {
	return await db.query<SocialReply>(
		`update social.reply set state = 'sending', attempts = attempts + 1, changed_at = $1,
			due_at = $1
		where (event_id, via) in (
			select event_id, via from social.reply
			where state = 'ready' and due_at <= $1 and via = any($2)
			order by due_at limit $3 for update skip locked
		)
		returning ${COLUMNS}`,
		[at, via, limit],
	);
}

/** Takes uncertain replies to look for, and sets the time of the next look. */
export async function takeUncertain(
	db: Queryable,
	{ at, againAt, limit }: { at: Date; againAt: Date; limit: number },
): Promise<SocialReply[]> {
	return await db.query<SocialReply>(
		`update social.reply set due_at = $2, attempts = attempts + 1
		where (event_id, via) in (
			select event_id, via from social.reply where state = 'uncertain' and due_at <= $1
			order by due_at limit $3 for update skip locked
		)
		returning ${COLUMNS}`,
		[at, againAt, limit],
	);
}

/** Moves a reply; returns false where its state does not allow the move. */
export async function moveReply(
	db: Queryable,
	{ eventId, via }: Pick<SocialReply, "eventId" | "via">,
	{ move, to, at, reason = null, sentId = null, dueAt = at, attempts }: ReplyChange,
): Promise<boolean> {
	const changed = await db.execute(
		`update social.reply set state = $3, reason = coalesce($4, reason), sent_id = $5, due_at = $6,
			changed_at = $7, attempts = coalesce($8, attempts),
			body = case when $3 in ('sent', 'refused', 'unanswered') then null else body end
		where event_id = $1 and via = $2 and state = any($9)`,
		[...[eventId, via, to, reason, sentId, dueAt, at, attempts ?? null], repliesBefore(move)],
	);
	return changed > 0;
}

/** Marks replies as uncertain that a process left `sending` when it died: X may have them. */
export async function doubtSending(
	db: Queryable,
	given: { before: Date; at: Date },
): Promise<number> {
	return await db.execute(
		`update social.reply set state = 'uncertain', reason = 'interrupted', due_at = $2, attempts = 0,
			changed_at = $2
		where state = 'sending' and due_at < $1`,
		[given.before, given.at],
	);
}

/** Ends replies that are past their time. */
export async function giveUpLate(db: Queryable, at: Date): Promise<number> {
	return await db.execute(
		`update social.reply set state = 'unanswered', body = null, changed_at = $1,
			reason = case when state = 'held' then 'no_direct_message'
				else coalesce(reason, 'too_old') end
		where state in ('held', 'ready') and good_until <= $1`,
		[at],
	);
}

/** Ends the waiting replies to an author who sent `stop`. By both partial indexes. */
export async function giveUpOf(
	db: Queryable,
	given: { authorId: string; at: Date },
): Promise<void> {
	await db.execute(
		`update social.reply set state = 'unanswered', reason = 'stopped', body = null, changed_at = $2
		where state in ('held', 'ready') and author_id = $1`,
		[given.authorId, given.at],
	);
}

/** Postpones waiting replies of one channel until X's rate limit ends. */
export async function postponeReplies(
	db: Queryable,
	given: { via: SocialReply["via"]; until: Date },
): Promise<void> {
	await db.execute(
		`update social.reply set due_at = $2, reason = 'rate_limited'
		where state = 'ready' and via = $1 and due_at < $2`,
		[given.via, given.until],
	);
}

/** Releases held replies for an author who has now written a direct message; returns the count. */
export async function releaseHeld(
	db: Queryable,
	given: { authorId: string; at: Date },
): Promise<number> {
	return await db.execute(
		`update social.reply set state = 'ready', due_at = $2, changed_at = $2
		where state = 'held' and author_id = $1 and good_until > $2`,
		[given.authorId, given.at],
	);
}

/** Returns true if X's id already belongs to another reply. */
export async function isSentId(db: Queryable, sentId: string): Promise<boolean> {
	return (
		(await db.query("select from social.reply where sent_id = $1 limit 1", [sentId])).length > 0
	);
}

/**
 * Stores a command, unless its author has reached the limit of the day. Commands of one author are
 * counted one after the other, under a lock, so that many at once cannot pass together.
 */
export async function keepUnlinked(
	tx: Tx,
	{ eventId, authorId, command, reason, at }: UnlinkedTrade,
	quota: { since: Date; max: number },
): Promise<void> {
	const lock = "select pg_advisory_xact_lock(hashtextextended('social.author:' || $1, 0))";
	await tx.query(lock, [authorId]);
	await tx.execute(
		`insert into social.unlinked_trade (event_id, author_id, command, reason, at)
		select $1, $2, $3, $4, $5 where (
			select count(*) from social.unlinked_trade where author_id = $2 and at >= $6
		) < $7 on conflict do nothing`,
		[eventId, authorId, command, reason, at, quota.since, quota.max],
	);
}

/** Lists commands, newest first, after a position. By `unlinked_trade_at`. */
export async function listUnlinked(
	db: Queryable,
	{ limit, after }: { limit: number; after: { at: Date; eventId: string } | null },
): Promise<UnlinkedTrade[]> {
	return await db.query<UnlinkedTrade>(
		`select event_id as "eventId", author_id as "authorId", command, reason, at
		from social.unlinked_trade
		where $1::timestamptz is null or at < $1 or (at = $1 and event_id > $2)
		order by at desc, event_id limit $3`,
		[after?.at ?? null, after?.eventId ?? null, limit],
	);
}

export async function pruneUnlinked(db: Queryable, keptMs: number): Promise<number> {
	return await db.execute(
		`delete from social.unlinked_trade where event_id in (
			select event_id from social.unlinked_trade
			where at < now() - $1 * interval '1 millisecond' order by at limit $2
		)`,
		[keptMs, PRUNE_ROWS_MAX],
	);
}
