// Reads and writes replies, and commands of authors without a profile.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { PRUNE_ROWS_MAX } from "#plugins/social/limits.ts";
import { type ReplyMove, type ReplyState, repliesBefore } from "#plugins/social/socialStates.ts";
import { lockAuthor } from "#plugins/social/sql/events.ts";

/** A reply, as it is stored. */
export type SocialReply = {
	eventId: string;
	/** The answer to a text, or the one notice of how its order ended. */
	part: "answer" | "notice";
	via: "post" | "dm";
	/** The post that it answers, or the account that it is sent to. */
	toId: string;
	authorId: string;
	/** Holds the draft, encrypted if private; null once it is no longer needed. */
	body: string | null;
	/** Holds the text that X gets or has, encrypted as the draft is; null until it is rendered. */
	said: string | null;
	state: ReplyState;
	/** Says why the reply waits, or why it ended. */
	reason: string | null;
	attempts: number;
	createdAt: Date;
	goodUntil: Date;
	weight: Weight;
	/** True if the post reports whether the rest was sent by direct message. */
	tellsDm: boolean;
};

/** Orders what is sent first: links and money (2), then linked authors (1), then everybody (0). */
export type Weight = 0 | 1 | 2;

type ReplyKey = Pick<SocialReply, "eventId" | "part" | "via">;

export type NewReply = Pick<
	SocialReply,
	"eventId" | "part" | "via" | "toId" | "authorId" | "body" | "goodUntil" | "weight" | "tellsDm"
> & { state: Extract<ReplyState, "held" | "ready" | "unanswered">; reason?: string };

export type ReplyChange = {
	move: ReplyMove;
	to: ReplyState;
	at: Date;
	reason?: string | null;
	sentId?: string | null;
	dueAt?: Date;
	/** Restarts the count of searches. */
	attempts?: number;
	/** Says that X certainly never got the text: the next try renders it again. */
	isUnheard?: boolean;
};

type TakenTerms = {
	via: SocialReply["via"];
	at: Date;
	limit: number;
	weights: readonly Weight[];
	/** Limits what one author gets of X's window; null where no limit of X is known. */
	share: { since: Date; max: number } | null;
	/** Limits how long a post waits for its direct message before it is sent without. */
	dmWaitMs: number;
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

const NO_SHARE = 1_000_000_000;

const COLUMNS = `event_id as "eventId", part, via, to_id as "toId", author_id as "authorId", body,
	state, reason, attempts, created_at as "createdAt", good_until as "goodUntil", weight,
	tells_dm as "tellsDm", said`;

/** Stores replies; an event's existing reply stays unchanged. */
export async function insertReplies(tx: Tx, replies: readonly NewReply[], at: Date): Promise<void> {
	for (const one of replies) {
		const { eventId, part, via, toId, authorId, body, state, goodUntil, weight, tellsDm } = one;
		await tx.execute(
			`insert into social.reply (event_id, via, to_id, author_id, body, state, due_at, good_until,
				created_at, changed_at, weight, tells_dm, reason, part)
			values ($1, $2, $3, $4, case when $6 <> 'unanswered' then $5 end, $6, $7, $8, $7, $7, $9, $10,
				$11, $12)
			on conflict do nothing`,
			[
				...[eventId, via, toId, authorId, body, state, at, goodUntil, weight, tellsDm],
				...[one.reason ?? null, part],
			],
		);
	}
}

/**
 * Takes replies that are due for sending, and marks them `sending` before X is called: from then on
 * X may have them. Links and money first, then whose author got the least in X's window; an author
 * gets no more of it than their share. A post that tells of a direct message waits until that is
 * sent. By `reply_open` and `reply_author`.
 */
export async function takeReplies(
	db: Queryable,
	{ via, at, limit, weights, share, dmWaitMs }: TakenTerms,
): Promise<SocialReply[]> {
	return await db.query<SocialReply>(
		`update social.reply set state = 'sending', attempts = attempts + 1, changed_at = $1,
			due_at = $1
		where (event_id, part, via) in (
			select event_id, part, via from social.reply where (event_id, part, via) in (
				select event_id, part, via from (
					select event_id, part, via, weight, due_at, row_number() over (
						partition by author_id order by weight desc, due_at
					) + (
						select count(*) from social.reply s
						where s.author_id = r.author_id and s.via = $2 and s.changed_at >= $5
							and s.state in ('sending', 'uncertain', 'sent', 'refused')
					) as turn
					from social.reply r
					where state = 'ready' and due_at <= $1 and via = $2 and weight = any($4)
						and (not tells_dm or said is not null or created_at <= $7 or not exists (
							select from social.reply d where d.event_id = r.event_id and d.part = r.part
								and d.via = 'dm' and d.state in ('ready', 'sending', 'uncertain')
						))
				) as waiting
				where turn <= $6 order by weight desc, turn, due_at limit $3
			)
			and state = 'ready' for update skip locked
		)
		returning ${COLUMNS}`,
		[
			...[at, via, limit, weights, share?.since ?? at, share?.max ?? NO_SHARE],
			new Date(at.getTime() - dmWaitMs),
		],
	);
}

/**
 * Stores the very text that X gets, before X is called. Returns false where another process has
 * taken the reply meanwhile: then this one may not send it.
 */
export async function renderReply(
	db: Queryable,
	{ eventId, part, via, attempts }: SocialReply,
	said: string,
): Promise<boolean> {
	const changed = await db.execute(
		`update social.reply set said = $4
		where event_id = $1 and part = $2 and via = $3 and attempts = $5 and state = 'sending'`,
		[eventId, part, via, said, attempts],
	);
	return changed > 0;
}

/** Returns the state of an event's direct message; null where it has none. */
export async function readDmState(db: Queryable, eventId: string): Promise<ReplyState | null> {
	const [row] = await db.query<{ state: ReplyState }>(
		"select state from social.reply where event_id = $1 and part = 'answer' and via = 'dm'",
		[eventId],
	);
	return row?.state ?? null;
}

/**
 * Counts what bounds the next answer to a post: answers in its conversation in the last hour, to
 * its author in the last minute, and whether its author was taken for a program in the last hour.
 * By `event_conversation` and `reply_author`.
 */
export async function countAnswers(
	tx: Tx,
	{ eventId, authorId, at }: Pick<SocialReply, "eventId" | "authorId"> & { at: Date },
): Promise<{ inConversation: number; inMinute: number; isProgram: boolean }> {
	// One after the other: a count says nothing of what others are just answering there.
	await tx.query(
		`select pg_advisory_xact_lock(hashtextextended('social.conversation:' || conversation_id, 0))
		from social.event where id = $1`,
		[eventId],
	);
	const [row] = await tx.query<{ inConversation: number; inMinute: number; isProgram: boolean }>(
		`select (
			select count(*)::int from social.event e join social.reply r on r.event_id = e.id
			where e.conversation_id = (select conversation_id from social.event where id = $1)
				and e.received_at >= $3::timestamptz - interval '1 hour' and r.via = 'post'
				and r.part = 'answer' and r.state <> 'unanswered'
		) as "inConversation", (
			select count(*)::int from social.reply where author_id = $2 and via = 'post'
				and part = 'answer' and state <> 'unanswered'
				and changed_at >= $3::timestamptz - interval '1 minute'
		) as "inMinute", exists (
			select from social.reply where author_id = $2 and via = 'post' and reason = 'automated'
				and changed_at >= $3::timestamptz - interval '1 hour'
		) as "isProgram"`,
		[eventId, authorId, at],
	);
	return row ?? { inConversation: 0, inMinute: 0, isProgram: false };
}

/** Returns true if an event's answer in this way is not sent yet, or may be. */
export async function isAnswerOpen(
	db: Queryable,
	{ eventId, via }: Pick<SocialReply, "eventId" | "via">,
): Promise<boolean> {
	const rows = await db.query(
		`select from social.reply where event_id = $1 and part = 'answer' and via = $2
			and state in ('ready', 'sending', 'uncertain')`,
		[eventId, via],
	);
	return rows.length > 0;
}

/** Returns true if private replies wait for a direct message of the author. By `reply_held`. */
export async function hasHeld(
	db: Queryable,
	{ authorId, at }: { authorId: string; at: Date },
): Promise<boolean> {
	const rows = await db.query(
		"select from social.reply where state = 'held' and author_id = $1 and good_until > $2 limit 1",
		[authorId, at],
	);
	return rows.length > 0;
}

/** Takes uncertain replies to search for, and sets the time of the next search. */
export async function takeUncertain(
	db: Queryable,
	{ at, againAt, limit }: { at: Date; againAt: Date; limit: number },
): Promise<SocialReply[]> {
	return await db.query<SocialReply>(
		`update social.reply set due_at = $2, attempts = attempts + 1
		where (event_id, part, via) in (
			select event_id, part, via from social.reply where state = 'uncertain' and due_at <= $1
			order by due_at limit $3 for update skip locked
		)
		returning ${COLUMNS}`,
		[at, againAt, limit],
	);
}

/** Moves a reply; returns false where its state does not allow the move. */
export async function moveReply(
	db: Queryable,
	{ eventId, part, via }: ReplyKey,
	{ move, to, at, reason = null, sentId = null, dueAt = at, ...more }: ReplyChange,
): Promise<boolean> {
	const changed = await db.execute(
		`update social.reply set state = $3, reason = coalesce($4, reason), sent_id = $5, due_at = $6,
			changed_at = $7, attempts = coalesce($8, attempts),
			body = case when $3 in ('sent', 'refused', 'unanswered') then null else body end,
			said = case when $11 or $3 in ('sent', 'refused', 'unanswered') then null else said end
		where event_id = $1 and via = $2 and state = any($9) and part = $10`,
		[
			...[eventId, via, to, reason, sentId, dueAt, at, more.attempts ?? null],
			...[repliesBefore(move), part, more.isUnheard ?? false],
		],
	);
	return changed > 0;
}

/**
 * Takes back replies that a process left `sending` when it died. X may have what was rendered: that
 * is uncertain. What was not was never sent, and is ready again.
 */
export async function doubtSending(
	db: Queryable,
	given: { before: Date; at: Date },
): Promise<number> {
	return await db.execute(
		`update social.reply set changed_at = $2, due_at = $2,
			state = case when said is null then 'ready' else 'uncertain' end,
			reason = case when said is null then reason else 'interrupted' end,
			attempts = case when said is null then attempts else 0 end
		where state = 'sending' and due_at < $1`,
		[given.before, given.at],
	);
}

/** Marks replies that were not sent in time as `unanswered`, with the reason. */
export async function giveUpLate(db: Queryable, at: Date): Promise<number> {
	return await db.execute(
		`update social.reply set state = 'unanswered', body = null, said = null, changed_at = $1,
			reason = case when state = 'held' then 'no_direct_message'
				when attempts = 0 then coalesce(reason, 'rate_limited')
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
		`update social.reply set state = 'unanswered', reason = 'stopped', body = null, said = null,
			changed_at = $2
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
	await lockAuthor(tx, authorId);
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
