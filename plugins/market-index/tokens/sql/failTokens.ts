import type { Tx } from "#core/db/Database.ts";
import {
	BACKOFF_FIRST_MS,
	BACKOFF_MAX_MS,
	FAILURES_MAX,
} from "#plugins/market-index/tokens/limits.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

export type FailedToken = {
	tokenId: bigint;
	code: string;
	/** Null where not even the URI is known. */
	uri: string | null;
	uriHash: Uint8Array | null;
};

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
