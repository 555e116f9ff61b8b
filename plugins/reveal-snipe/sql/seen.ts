import type { Queryable } from "#core/db/Database.ts";
import type { RevealReading, ShownToken } from "#plugins/market-index/contract.ts";

/** The result of the last look at a collection. Digests in hex. */
export type Seen = {
	tokenIds: readonly bigint[];
	uriDigest: string | null;
	contentDigest: string | null;
	reading: RevealReading | null;
	hiddenTraits: ShownToken["traits"];
};

/** Returns the results of the last looks, by collection id; by primary key. */
export async function readSeen(
	db: Queryable,
	ids: readonly number[],
): Promise<ReadonlyMap<number, Seen>> {
	const rows = await db.query<Omit<Seen, "tokenIds"> & { id: number; tokenIds: string[] }>(
		`select collection_id as id, token_ids::text[] as "tokenIds",
			encode(uri_digest, 'hex') as "uriDigest", encode(content_digest, 'hex') as "contentDigest",
			reading, hidden_traits as "hiddenTraits"
		from reveal_snipe.seen where collection_id = any($1::int4[])`,
		[ids],
	);
	return new Map(
		rows.map(({ id, tokenIds, ...seen }) => [id, { ...seen, tokenIds: tokenIds.map(BigInt) }]),
	);
}

/** Stores the result of a look in place of the one before. */
export async function writeSeen(db: Queryable, collectionId: number, seen: Seen): Promise<void> {
	await db.execute(
		`insert into reveal_snipe.seen
			(collection_id, token_ids, uri_digest, content_digest, reading, hidden_traits)
		values ($1, $2::numeric[], decode($3, 'hex'), decode($4, 'hex'), $5, $6::jsonb)
		on conflict (collection_id) do update set token_ids = excluded.token_ids,
			uri_digest = excluded.uri_digest, content_digest = excluded.content_digest,
			reading = excluded.reading, hidden_traits = excluded.hidden_traits`,
		[
			collectionId,
			seen.tokenIds,
			seen.uriDigest,
			seen.contentDigest,
			seen.reading,
			seen.hiddenTraits === null ? null : JSON.stringify(seen.hiddenTraits),
		],
	);
}

/** Deletes the results of collections that are no longer watched. */
export async function pruneSeen(db: Queryable): Promise<void> {
	await db.execute(
		`delete from reveal_snipe.seen as s where not exists (
			select from reveal_snipe.watch where collection_id = s.collection_id
		)`,
	);
}
