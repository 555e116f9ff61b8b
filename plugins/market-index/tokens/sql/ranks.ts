// Stores ranks, and reads what the detection of reveals needs.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { RevealState, Shown } from "#plugins/market-index/reveal.ts";
import type { TokenDocument, TokenTrait } from "#plugins/market-index/tokens/model.ts";
import type { TokenShown } from "#plugins/market-index/tokens/readTokenUris.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";

export type RevealSubject = {
	id: number;
	chainId: number;
	address: Address;
	standard: "erc721" | "erc1155";
	slug: string;
	name: string | null;
	imageUrl: string | null;
	revealState: RevealState;
	revealedAt: Date | null;
};

/** The progress of reading all tokens again. */
export type RereadState = {
	tokens: number;
	/** Tokens read since it began, and tokens that failed. */
	read: number;
	failed: number;
};

/** Holds what is stored of a token; the hash of its URI in hex. */
export type StoredToken = Shown & { tokenId: bigint; isOwnWord: boolean };

/** A token with what plans choose by. */
export type RankedRow = { tokenId: string; rank: number | null; traits: TokenTrait[] };

/** Tokens sampled from each end of the known ids. */
const SAMPLE_EACH_END = 25;

/** Returns what stored tokens of a collection show, from both ends of its ids. By `token_pkey`. */
export async function revealSample(db: Queryable, collectionId: number): Promise<Shown[]> {
	return db.query<Shown>(
		`select encode(token_uri_hash, 'hex') as uri, image_url as "imageUrl", traits
		from (
			(select token_id from market_index.token where collection_id = $1 and source is not null
				order by token_id limit $2)
			union
			(select token_id from market_index.token where collection_id = $1 and source is not null
				order by token_id desc limit $2)
		) as ends
		join market_index.token as t on t.collection_id = $1 and t.token_id = ends.token_id`,
		[collectionId, SAMPLE_EACH_END],
	);
}

/**
 * Returns collections as the detection of reveals needs them, by primary key; excluded ones are
 * left out.
 */
export async function readRevealSubjects(
	db: Queryable,
	ids: readonly number[],
): Promise<RevealSubject[]> {
	return db.query<RevealSubject>(
		`select id, chain_id as "chainId", '0x' || encode(address, 'hex') as address, standard, slug,
			name, image_url as "imageUrl", reveal_state as "revealState", revealed_at as "revealedAt"
		from market_index.collection where id = any($1::int4[]) and not excluded order by id`,
		[ids],
	);
}

/** The number of candidates that are read for each token to sample: some of them are burnt. */
const CANDIDATES_EACH = 4;

/**
 * Picks tokens of a collection to sample: those that exist, read or not, spread evenly over its
 * ids, so that a partial reveal is met too. Ids in order. By `token_pkey` and `owned_span_pkey`.
 */
export async function pickProbeTokens(
	db: Queryable,
	collectionId: number,
	count: number,
): Promise<bigint[]> {
	const rows = await db.query<{ tokenId: string }>(
		`with candidates as (
			select token_id from (
				select token_id, row_number() over (order by token_id) as place, count(*) over () as all_of
				from market_index.token where collection_id = $1
			) as known
			where place * $3::int4 / all_of > (place - 1) * $3::int4 / all_of
		), alive as (
			select token_id, row_number() over (order by token_id) as place, count(*) over () as all_of
			from candidates as c where not exists (
				select from market_index.ownership as o
				join market_index.owned_span as s on s.set_id = o.set_id
				where o.collection_id = $1 and s.from_id <= c.token_id and s.to_id >= c.token_id
					and s.owner = '\\x0000000000000000000000000000000000000000'
			)
		)
		select token_id as "tokenId" from alive
		where place * $2::int4 / all_of > (place - 1) * $2::int4 / all_of
		order by token_id limit $2::int4`,
		[collectionId, count, count * CANDIDATES_EACH],
	);
	return rows.map(({ tokenId }) => BigInt(tokenId));
}

/** Returns what is stored of tokens that some source has reported. By `token_pkey`. */
export async function readStoredTokens(
	db: Queryable,
	collectionId: number,
	tokenIds: readonly bigint[],
): Promise<StoredToken[]> {
	const rows = await db.query<Omit<StoredToken, "tokenId"> & { tokenId: string }>(
		`select token_id as "tokenId", encode(token_uri_hash, 'hex') as uri, image_url as "imageUrl",
			traits, source = 'chain' as "isOwnWord"
		from market_index.token
		where collection_id = $1 and token_id = any($2::numeric[]) and source is not null`,
		[collectionId, tokenIds],
	);
	return rows.map(({ tokenId, ...shown }) => ({ ...shown, tokenId: BigInt(tokenId) }));
}

/** Records that collections were checked. */
export async function noteRevealsChecked(
	db: Queryable,
	ids: readonly number[],
	at: Date,
): Promise<void> {
	await db.execute(
		"update market_index.collection set reveal_checked_at = $2 where id = any($1::int4[])",
		[ids, at],
	);
}

/**
 * Begins to read all of a collection's tokens again: each token read before `at` is read once more,
 * also those that were given up. A beginning that was recorded stays.
 */
export async function beginReread(
	tx: Tx,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<void> {
	const begun = await tx.execute(
		"update market_index.collection set reread_since = $2 where id = $1 and reread_since is null",
		[collectionId, at],
	);
	if (begun === 0) return;
	await tx.execute(
		"update market_index.token set failures = 0 where collection_id = $1 and failures > 0",
		[collectionId],
	);
}

/**
 * Ends reading all of a collection's tokens again: ordinary work on them continues, first with
 * those that could not be read meanwhile.
 */
export async function endReread(tx: Tx, collectionId: number): Promise<void> {
	await tx.execute(
		`update market_index.token as t set next_at = c.reread_since, failures = least(t.failures, 1)
		from market_index.collection as c
		where c.id = $1 and t.collection_id = $1 and c.reread_since is not null
			and (t.tried_at is null or t.tried_at < c.reread_since or t.failures > 0)`,
		[collectionId],
	);
	await tx.execute("update market_index.collection set reread_since = null where id = $1", [
		collectionId,
	]);
}

/**
 * Keeps the traits of revealed tokens, and deletes those of all others, which are of the time
 * before the reveal: ranked, they would be the rarest. They are read again. A revealed token
 * without traits is known to have none.
 */
export async function keepTraitsOf(
	tx: Tx,
	kept: { collectionId: number; out: readonly bigint[]; hiddenTraits: Shown["traits"] },
): Promise<void> {
	const { collectionId, out, hiddenTraits } = kept;
	await tx.execute("update market_index.collection set hidden_traits = $2::jsonb where id = $1", [
		collectionId,
		hiddenTraits?.length ? JSON.stringify(hiddenTraits) : null,
	]);
	await lockTokens(tx, collectionId);
	await tx.execute(
		`with out as (select unnest($2::numeric[]) as token_id)
		update market_index.token as t set
			traits = case when o.token_id is not null then '[]'::jsonb end,
			tried_at = case when o.token_id is not null then t.tried_at end
		from market_index.token as old left join out as o on o.token_id = old.token_id
		where old.collection_id = $1 and t.collection_id = $1 and t.token_id = old.token_id
			and (o.token_id is null or old.traits is null)`,
		[collectionId, out],
	);
}

/** Counts a collection's tokens by the result of reading them since a time. */
export async function readRereadState(
	db: Queryable,
	{ collectionId, since }: { collectionId: number; since: Date },
): Promise<RereadState> {
	const [row] = await db.query<RereadState>(
		`select count(*)::int4 as tokens,
			(count(*) filter (where tried_at >= $2 and failures = 0))::int4 as read,
			(count(*) filter (where tried_at >= $2 and failures > 0))::int4 as failed
		from market_index.token where collection_id = $1`,
		[collectionId, since],
	);
	return row ?? { tokens: 0, read: 0, failed: 0 };
}

/**
 * Counts all tokens, and returns what those show that were read since all are read again. `unread`:
 * also what is stored of the others, as they were before.
 */
export async function readRereadTokens(
	db: Queryable,
	collectionId: number,
	{ unread = false }: { unread?: boolean } = {},
): Promise<{ tokens: number; read: TokenShown[]; before: TokenShown[] }> {
	type Row = { tokenId: string; isRead: boolean } & Pick<TokenDocument, "imageUrl" | "traits">;
	const rows = await db.query<Row>(
		`select t.token_id as "tokenId", t.image_url as "imageUrl", t.traits,
			coalesce(t.tried_at >= c.reread_since, false) as "isRead"
		from market_index.token as t join market_index.collection as c on c.id = t.collection_id
		where t.collection_id = $1 and t.failures = 0 and (t.tried_at >= c.reread_since
			or ($2 and t.source is not null))`,
		[collectionId, unread],
	);
	const [known] = await db.query<{ tokens: number }>(
		"select count(*)::int4 as tokens from market_index.token where collection_id = $1",
		[collectionId],
	);
	const shownBy = (isRead: boolean) =>
		rows.flatMap(({ tokenId, imageUrl, traits, ...row }): TokenShown[] => {
			return row.isRead === isRead
				? [{ tokenId: BigInt(tokenId), shown: { imageUrl, traits } }]
				: [];
		});
	return { tokens: known?.tokens ?? 0, read: shownBy(true), before: shownBy(false) };
}

/** Returns all tokens of a collection with traits, the rarest first. */
export async function readRankedTokens(
	db: Queryable,
	collectionId: number,
	limit: number,
): Promise<RankedRow[]> {
	return db.query<RankedRow>(
		`select token_id as "tokenId", rank, traits from market_index.token
		where collection_id = $1 and traits is not null
		order by rank nulls last, token_id limit $2`,
		[collectionId, limit],
	);
}

/** Removes a collection's ranks: they were computed from a part, as if that had been all. */
export async function takeRanksBack(tx: Tx, collectionId: number): Promise<void> {
	await writeRanks(tx, collectionId, []);
	await tx.execute("update market_index.sync set ranked_at = null where collection_id = $1", [
		collectionId,
	]);
}

/**
 * Says whether a collection is as it was when ranks were computed, and keeps it so until the
 * transaction ends: a reveal may have been withdrawn meanwhile, and its ranks with it.
 */
export async function isUnmoved(
	tx: Tx,
	given: { id: number; rereadSince: Date | null; revealState: RevealState },
): Promise<boolean> {
	const rows = await tx.query(
		`select from market_index.collection where id = $1 and reveal_state = $3
			and reread_since is not distinct from $2::timestamptz for share`,
		[given.id, given.rereadSince, given.revealState],
	);
	return rows.length > 0;
}

/** Writes changed ranks and returns how many; a token that is not among them has none. */
export async function writeRanks(
	tx: Tx,
	collectionId: number,
	ranked: readonly { id: string; rank: number; score: number }[],
): Promise<number> {
	await lockTokens(tx, collectionId);
	return tx.execute(
		`update market_index.token as t set rank = g.rank, score = g.score
		from market_index.token as old
		left join unnest($2::numeric[], $3::int4[], $4::float8[]) as g (token_id, rank, score)
			on g.token_id = old.token_id
		where old.collection_id = $1 and t.collection_id = $1 and t.token_id = old.token_id
			and (t.rank, t.score) is distinct from (g.rank, g.score)`,
		[
			collectionId,
			ranked.map(({ id }) => id),
			ranked.map(({ rank }) => rank),
			ranked.map(({ score }) => score),
		],
	);
}
