import type { Queryable, Tx } from "#core/db/Database.ts";

/** The bot account's tokens, as they are stored. */
export type StoredTokens = { sealed: Uint8Array; goodUntil: Date; seed: Uint8Array };

const SELECT = `select sealed, good_until as "goodUntil", seed from social.token where id = 1`;

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
