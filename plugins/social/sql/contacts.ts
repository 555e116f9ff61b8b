// Reads and writes accounts that wrote to the bot, and the bot account's tokens.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { PRUNE_ROWS_MAX } from "#plugins/social/limits.ts";

/** Says what the bot may send to an account. */
export type Contact = {
	/** The account wrote a direct message, so X allows answers there. */
	canDm: boolean;
	/** The account sent `stop` and gets no replies. */
	isStopped: boolean;
};

/** The bot account's tokens, as they are stored. */
export type StoredTokens = { sealed: Uint8Array; goodUntil: Date; seed: Uint8Array };

const SELECT = `select sealed, good_until as "goodUntil", seed from social.token where id = 1`;

export async function readContact(db: Queryable, userId: string): Promise<Contact> {
	const [row] = await db.query<{ dmAt: Date | null; stoppedAt: Date | null }>(
		`select dm_at as "dmAt", stopped_at as "stoppedAt" from social.contact where user_id = $1`,
		[userId],
	);
	const { dmAt = null, stoppedAt = null } = row ?? {};
	return { canDm: dmAt !== null, isStopped: stoppedAt !== null };
}

/** Records that an account wrote a direct message. */
export async function noteDm(db: Queryable, given: { userId: string; at: Date }): Promise<void> {
	await db.execute(
		`insert into social.contact as known (user_id, dm_at) values ($1, $2)
		on conflict (user_id) do update set dm_at = greatest(known.dm_at, excluded.dm_at)`,
		[given.userId, given.at],
	);
}

/** Records that an account wants no replies, or wants them again: its newest command counts. */
export async function noteStop(
	db: Queryable,
	given: { userId: string; isStopped: boolean; saidAt: Date },
): Promise<void> {
	await db.execute(
		`insert into social.contact as known (user_id, stopped_at, said_at)
		values ($1, case when $2::boolean then $3::timestamptz end, $3)
		on conflict (user_id) do update
			set stopped_at = excluded.stopped_at, said_at = excluded.said_at
			where known.said_at is null or known.said_at < excluded.said_at`,
		[given.userId, given.isStopped, given.saidAt],
	);
}

/**
 * Deletes accounts that have not written for long, except those that sent `stop`; returns the
 * count.
 */
export async function pruneContacts(db: Queryable, keptMs: number): Promise<number> {
	return await db.execute(
		`delete from social.contact where user_id in (
			select user_id from social.contact
			where stopped_at is null
				and coalesce(dm_at, said_at) < now() - $1 * interval '1 millisecond' limit $2
		)`,
		[keptMs, PRUNE_ROWS_MAX],
	);
}

export async function readTokens(db: Queryable): Promise<StoredTokens | null> {
	const [row] = await db.query<StoredTokens>(SELECT);
	return row ?? null;
}

/** Reads the tokens under a lock: until the transaction ends, only this one may renew them. */
export async function lockTokens(tx: Tx): Promise<StoredTokens | null> {
	// A missing row cannot be locked, so an advisory lock covers its creation.
	await tx.query("select pg_advisory_xact_lock(hashtextextended('social.token', 0))");
	const [row] = await tx.query<StoredTokens>(`${SELECT} for update`);
	return row ?? null;
}

export async function storeTokens(
	tx: Tx,
	{ sealed, goodUntil, seed, at }: StoredTokens & { at: Date },
): Promise<void> {
	await tx.execute(
		`insert into social.token (id, sealed, good_until, seed, changed_at) values (1, $1, $2, $3, $4)
		on conflict (id) do update set sealed = excluded.sealed, good_until = excluded.good_until,
			seed = excluded.seed, changed_at = excluded.changed_at`,
		[sealed, goodUntil, seed, at],
	);
}
