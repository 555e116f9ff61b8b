import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	type ReplyMove,
	type ReplyState,
	repliesBefore,
} from "#plugins/social/states/socialStates.ts";

/** What is said to somebody, as it is stored. */
export type SocialReply = {
	eventId: string;
	via: "post" | "dm";
	/** The post that is answered, or the account that is written to. */
	toId: string;
	authorId: string;
	/** Sealed where it is private; null once nothing is left to do with it. */
	body: string | null;
	state: ReplyState;
	/** Why it waits, or ended. */
	reason: string | null;
	attempts: number;
	createdAt: Date;
	goodUntil: Date;
};

export type NewReply = Pick<
	SocialReply,
	"eventId" | "via" | "toId" | "authorId" | "body" | "goodUntil"
> & { state: Extract<ReplyState, "held" | "ready"> };

const COLUMNS = `event_id as "eventId", via, to_id as "toId", author_id as "authorId", body, state,
	reason, attempts, created_at as "createdAt", good_until as "goodUntil"`;

/** Stores replies; one that an event has already stays as it is. */
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
 * Takes replies that are due to be sent. From then on X may have them: the state says so before X
 * hears anything. By `reply_open`.
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

/** Takes replies to look for, and sets when they are looked for again. */
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

export type ReplyChange = {
	move: ReplyMove;
	to: ReplyState;
	at: Date;
	reason?: string | null;
	sentId?: string | null;
	dueAt?: Date;
	/** Counts looks from here. */
	attempts?: number;
};

/** Moves a reply; false where it is not in a state that the move leads from. */
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

/** What a process left behind that died while it told X: X may have it. */
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

/** Ends what may not be sent any more: its time is over, or its author wants to hear nothing. */
export async function giveUpLate(db: Queryable, at: Date): Promise<number> {
	return await db.execute(
		`update social.reply set state = 'unanswered', body = null, changed_at = $1,
			reason = case when state = 'held' then 'no_direct_message'
				else coalesce(reason, 'too_old') end
		where state in ('held', 'ready') and good_until <= $1`,
		[at],
	);
}

/** Ends what was to be said to somebody who wants to hear nothing. By both partial indexes. */
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

/** Puts off what waits for one way of X, which wants to be left alone until then. */
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

/** Lets what was held for somebody be sent: they wrote to the bot. Answers how many. */
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

/** Whether X's id is known as another reply's. */
export async function isSentId(db: Queryable, sentId: string): Promise<boolean> {
	return (
		(await db.query("select from social.reply where sent_id = $1 limit 1", [sentId])).length > 0
	);
}
