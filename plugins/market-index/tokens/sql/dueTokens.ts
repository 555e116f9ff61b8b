// Reads which tokens are due, records failures, and locks a collection's tokens.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/MarketEvent.ts";
import {
	BACKOFF_FIRST_MS,
	BACKOFF_MAX_MS,
	FAILURES_MAX,
} from "#plugins/market-index/tokens/model.ts";

export type DueOptions = {
	collectionId: number;
	after: bigint;
	at: Date;
	limit: number;
	/** Set where all tokens are read again: those not read since then are due, and these. */
	reread?: { since: Date; again: readonly bigint[] } | undefined;
};

export type FailedToken = {
	tokenId: bigint;
	code: string;
	/** Null where not even the URI is known. */
	uri: string | null;
	uriHash: Uint8Array | null;
};

/** "toks" in ASCII. */
const TOKENS_LOCK_SPACE = 0x746f_6b73n << 31n;

/** The newest events of a kind that are searched for a token. */
const EVENTS_MAX = 5_000;

/**
 * Returns the next due tokens of a collection, by id. By `token_pkey`. A failed token is due when
 * its time comes, also where all are read again.
 */
export async function dueTokens(db: Queryable, options: DueOptions): Promise<bigint[]> {
	const { collectionId, after, at, limit, reread } = options;
	const isDue = reread
		? `(tried_at is null or tried_at < $5 or (failures > 0 and next_at <= $3)
			or token_id = any($6::numeric[]))`
		: "next_at <= $3";
	const rows = await db.query<{ tokenId: string }>(
		`select token_id as "tokenId" from market_index.token
		where collection_id = $1 and token_id > $2::numeric and ${isDue}
		order by token_id limit $4`,
		[collectionId, after, at, limit, ...(reread ? [reread.since, reread.again] : [])],
	);
	return rows.map(({ tokenId }) => BigInt(tokenId));
}

/**
 * Records tokens that could not be read: retried later, later each time, and no more after
 * `FAILURES_MAX`. What was known before stays, the URI too where none is known now. Returns how
 * many have another URI.
 */
export async function failTokens(
	tx: Tx,
	failing: { collectionId: number; beganAt: Date; at: Date; tokens: readonly FailedToken[] },
): Promise<number> {
	const { collectionId, beganAt, at, tokens } = failing;
	await lockTokens(tx, collectionId);
	const rows = await tx.query<{ swapped: number }>(
		`with given as (
			select * from unnest($3::numeric[], $4::text[], $5::text[], $6::bytea[])
				as given (token_id, code, uri, hash)
		), before as (
			select t.token_uri_hash <> g.hash as swapped
			from given as g join market_index.token as t
				on t.collection_id = $1 and t.token_id = g.token_id
		), written as (
			update market_index.token as t set
				failures = t.failures + 1, failed_code = g.code, tried_at = $10,
				token_uri = coalesce(g.uri, t.token_uri),
				token_uri_hash = coalesce(g.hash, t.token_uri_hash),
				next_at = case when t.failures + 1 < $7 then $2::timestamptz
					+ least($8 * 2 ^ t.failures, $9) * interval '1 millisecond' end
			from given as g where t.collection_id = $1 and t.token_id = g.token_id
		)
		select count(*) filter (where swapped)::int4 as swapped from before`,
		[
			collectionId,
			at,
			tokens.map(({ tokenId }) => tokenId),
			tokens.map(({ code }) => code),
			tokens.map(({ uri }) => uri),
			tokens.map(({ uriHash }) => uriHash),
			FAILURES_MAX,
			BACKOFF_FIRST_MS,
			BACKOFF_MAX_MS,
			beganAt,
		],
	);
	return rows[0]?.swapped ?? 0;
}

/**
 * Locks a collection's tokens and trait counts until the transaction ends. For statements that
 * write several of these rows: each takes them in an order of its own, so two at once could be a
 * deadlock (SQLSTATE 40P01).
 */
export async function lockTokens(tx: Tx, collectionId: number): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [TOKENS_LOCK_SPACE + BigInt(collectionId)]);
}

/**
 * Returns tokens that failed, and of which no other source has reported anything. By `token_pkey`.
 */
export async function unheardTokens(
	db: Queryable,
	collectionId: number,
	limit: number,
): Promise<bigint[]> {
	const rows = await db.query<{ tokenId: string }>(
		`select token_id as "tokenId" from market_index.token
		where collection_id = $1 and source is null and failures > 0
		order by token_id limit $2`,
		[collectionId, limit],
	);
	return rows.map(({ tokenId }) => BigInt(tokenId));
}

/**
 * Says whether one of a collection's newest events is of a token. A token gets its row when the
 * collection's tokens are looked for; one that was sold since then is known by its sale alone.
 *
 * By `event_by_collection`, one branch a kind, the newest first: called only for a token without a
 * row and an owner.
 */
export async function wasSpokenOf(
	db: Queryable,
	collectionId: number,
	tokenId: bigint,
): Promise<boolean> {
	const [row] = await db.query<{ isKnown: boolean }>(
		`select exists (
			select from unnest($3::int2[]) as kinds (kind)
			cross join lateral (
				select token_id from market_index.event
				where collection_id = $1 and kind = kinds.kind
				order by occurred_at desc limit $4
			) as newest
			where newest.token_id = $2::numeric
		) as "isKnown"`,
		[collectionId, tokenId, Object.values(EVENT_KIND), EVENTS_MAX],
	);
	return row?.isKnown ?? false;
}
