import type { Queryable, Tx } from "#core/db/Database.ts";
import { PRUNE_ROWS_MAX } from "#plugins/social/limits.ts";

/** A command that moves value, from an author without a linked profile. */
export type UnlinkedTrade = {
	eventId: string;
	authorId: string;
	/** The command in its printed form. */
	command: string;
	reason: string;
	at: Date;
};

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

export async function pruneUnlinked(db: Queryable, before: Date): Promise<number> {
	return await db.execute(
		`delete from social.unlinked_trade where event_id in (
			select event_id from social.unlinked_trade where at < $1 order by at limit $2
		)`,
		[before, PRUNE_ROWS_MAX],
	);
}
