// Adds, reads and writes tokens.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/MarketEvent.ts";
import type { RevealState } from "#plugins/market-index/reveal.ts";
import {
	TOKENS_MAX,
	type TokenDocument,
	type TokenTrait,
} from "#plugins/market-index/tokens/model.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";

export type TokenRow = {
	collectionId: number;
	standard: string;
	slug: string;
	collectionName: string | null;
	collectionImageUrl: string | null;
	revealState: string;
	tokenId: string;
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	tokenUri: string | null;
	tokenUriHash: string | null;
	traits: TokenTrait[] | null;
	rank: number | null;
	source: "chain" | "provider" | null;
	fetchedAt: Date | null;
	/** Null where owners are not kept or not walked to the end yet, and for an ERC-1155. */
	owner: Address | null;
	/** True: it has a row or an owner; `wasSpokenOf` finds tokens with an event only. */
	isKnown: boolean;
};

/** Holds what lists show of a token with an event. */
export type TokenFacts = {
	imageUrl: string | null;
	traits: TokenTrait[] | null;
	rank: number | null;
};

export type TokenState = {
	id: number;
	chainId: number;
	address: Address;
	standard: "erc721" | "erc1155";
	revealState: RevealState;
	/** The time when reading all its tokens again began; null while none is under way. */
	rereadSince: Date | null;
	providerSlug: string | null;
	/** True where the provider's collection has this address on another chain too. */
	isTwin: boolean;
	traitsAt: Date | null;
	/** True: its tokens have ranks that were computed here. */
	isRanked: boolean;
	/** The time when the provider was last asked for its tokens. */
	nftsAt: Date | null;
	/** The units that should exist: minted and not destroyed, as far as is known. */
	supply: string | null;
	/** True: a walk over the contract's history is under way. */
	walking: boolean;
	/**
	 * Tokens with a row; those with a list of traits, and with at least one trait; and those not
	 * tried yet.
	 */
	tokens: number;
	traited: number;
	shown: number;
	untried: number;
	/** Counts tokens that failed, and of which no other source has reported anything. */
	unheard: number;
};

/** A token whose document was read. */
export type ReadToken = { tokenId: bigint; uri: string; uriHash: Uint8Array } & TokenDocument;

/** The most events that are searched for ids of a collection that is not walked. */
const EVENTS_MAX = 500_000;

/**
 * Adds a row for each token with an owner or an event; returns how many are new. Ids are in order,
 * so that of a collection above the limit the first ones are known.
 *
 * Owners by `owned_span_pkey` and `owned_units_pkey`, where the contract is walked; events by
 * `event_by_collection`, one branch a kind.
 */
export async function learnTokens(
	tx: Tx,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<number> {
	await lockTokens(tx, collectionId);
	const known = await tx.query<{ room: number }>(
		`select greatest($2 - count(*), 0)::int4 as room from market_index.token
		where collection_id = $1`,
		[collectionId, TOKENS_MAX],
	);
	const room = known[0]?.room ?? 0;
	if (room === 0) return 0;
	return tx.execute(
		`insert into market_index.token (collection_id, token_id, next_at)
		select $1, id, $2
		from (
			select id
			from market_index.ownership as o
			join market_index.owned_span as s on s.set_id = o.set_id
			cross join lateral generate_series(
				s.from_id, least(s.to_id, s.from_id + $4::int8 - 1)
			) as id
			where o.collection_id = $1 and s.owner <> '\\x0000000000000000000000000000000000000000'
			union
			select u.token_id
			from market_index.ownership as o
			join market_index.owned_units as u on u.set_id = o.set_id
			where o.collection_id = $1 and u.units > 0
			union
			select token_id
			from (
				select e.token_id
				from unnest($6::int2[]) as kinds (kind)
				cross join lateral (
					select token_id from market_index.event
					where collection_id = $1 and kind = kinds.kind limit $5
				) as e
			) as seen
		) as ids (id)
		where not exists (
			select from market_index.token where collection_id = $1 and token_id = ids.id
		)
		order by id limit $3
		on conflict do nothing`,
		[collectionId, at, room, TOKENS_MAX, EVENTS_MAX, Object.values(EVENT_KIND)],
	);
}

/**
 * Returns one token with its collection's fields; null where there is no such collection. The token
 * by `token_pkey`, its owner by `owned_span_pkey`: the last span that begins at or below it. An
 * unfinished walk may know a former owner only, so none is returned.
 */
export async function readToken(
	db: Queryable,
	collectionId: number,
	tokenId: bigint,
): Promise<TokenRow | null> {
	const rows = await db.query<TokenRow>(
		`select c.id as "collectionId", c.standard, c.slug, c.name as "collectionName",
			c.image_url as "collectionImageUrl", c.reveal_state as "revealState",
			$2::numeric::text as "tokenId", t.name, t.description, t.image_url as "imageUrl",
			t.animation_url as "animationUrl", t.token_uri as "tokenUri",
			'0x' || encode(t.token_uri_hash, 'hex') as "tokenUriHash", t.traits, t.rank, t.source,
			t.fetched_at as "fetchedAt",
			case when held.is_over then '0x' || encode(held.owner, 'hex') end as owner,
			t.token_id is not null or held.owner is not null as "isKnown"
		from market_index.collection as c
		left join market_index.token as t on t.collection_id = c.id and t.token_id = $2::numeric
		left join lateral (
			select last.owner, last.is_over from (
				select s.to_id, s.owner, o.next_block > o.end_block as is_over
				from market_index.ownership as o
				join market_index.owned_span as s on s.set_id = o.set_id
				where o.collection_id = c.id and s.from_id <= $2::numeric
				order by s.from_id desc limit 1
			) as last where last.to_id >= $2::numeric
				and last.owner <> '\\x0000000000000000000000000000000000000000'
		) as held on true
		where c.id = $1 and not c.excluded`,
		[collectionId, tokenId],
	);
	return rows[0] ?? null;
}

/**
 * Returns what is known of a collection's tokens, by id in decimal. One index read each in
 * `token_pkey`.
 */
export async function readTokenFacts(
	db: Queryable,
	collectionId: number,
	tokenIds: readonly string[],
): Promise<ReadonlyMap<string, TokenFacts>> {
	if (tokenIds.length === 0) return new Map();
	const rows = await db.query<TokenFacts & { tokenId: string }>(
		`select token_id as "tokenId", image_url as "imageUrl", traits, rank
		from market_index.token where collection_id = $1 and token_id = any($2::numeric[])`,
		[collectionId, [...new Set(tokenIds)]],
	);
	return new Map(rows.map(({ tokenId, ...facts }) => [tokenId, facts]));
}

/**
 * Returns all that decides what is to be done about a collection's tokens. Null where it is gone.
 */
export async function tokenState(db: Queryable, collectionId: number): Promise<TokenState | null> {
	const rows = await db.query<TokenState>(
		`select c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address, c.standard,
			c.reveal_state as "revealState",
			c.reread_since as "rereadSince", s.provider_slug as "providerSlug",
			s.traits_at as "traitsAt", s.ranked_at is not null as "isRanked",
			coalesce(
				case when o.next_block > o.end_block and o.minted > 0 then o.minted - o.burned end,
				c.total_supply, c.provider_supply) as supply,
			o.collection_id is not null and coalesce(o.next_block <= o.end_block, true) as walking,
			s.nfts_at as "nftsAt",
			(
				select count(*) > 1 from jsonb_path_query(c.provider_row, '$.contracts[*].address') as a
				where lower(a #>> '{}') = '0x' || encode(c.address, 'hex')
			) as "isTwin",
			t.*
		from market_index.collection as c
		left join market_index.sync as s on s.collection_id = c.id
		left join market_index.ownership as o on o.collection_id = c.id
		cross join lateral (
			select count(*)::int4 as tokens, count(traits)::int4 as traited,
				(count(*) filter (where jsonb_array_length(traits) > 0))::int4 as shown,
				(count(*) filter (where source is null and failures = 0))::int4 as untried,
				(count(*) filter (where source is null and failures > 0))::int4 as unheard
			from market_index.token where collection_id = c.id
		) as t
		where c.id = $1 and not c.excluded`,
		[collectionId],
	);
	return rows[0] ?? null;
}

/**
 * Stores tokens' metadata; returns how many have other traits than before, and how many have
 * another URI. Only existing rows: a collection may have gone meanwhile. A token that was reported
 * as changed since the reading began is read once more.
 */
export async function writeTokens(
	tx: Tx,
	write: { collectionId: number; beganAt: Date; at: Date; tokens: readonly ReadToken[] },
): Promise<{ changed: number; swapped: number }> {
	const { collectionId, beganAt, at, tokens } = write;
	await lockTokens(tx, collectionId);
	const rows = await tx.query<{ changed: number; swapped: number }>(
		`with given as (
			select * from unnest($3::numeric[], $4::text[], $5::bytea[], $6::text[], $7::text[],
				$8::text[], $9::text[], $10::jsonb[])
				as given (token_id, uri, hash, name, description, image_url, animation_url, traits)
		), before as (
			select g.token_id, t.traits is distinct from g.traits as changed,
				t.token_uri_hash <> g.hash as swapped
			from given as g join market_index.token as t
				on t.collection_id = $1 and t.token_id = g.token_id
		), written as (
			update market_index.token as t set
				name = g.name, description = g.description, image_url = g.image_url,
				animation_url = g.animation_url, token_uri = g.uri, token_uri_hash = g.hash,
				traits = g.traits, source = 'chain', fetched_at = $2, failures = 0,
				failed_code = null, tried_at = $11, next_at = case when t.next_at > $11 then t.next_at end
			from given as g where t.collection_id = $1 and t.token_id = g.token_id
		)
		select count(*) filter (where changed)::int4 as changed,
			count(*) filter (where swapped)::int4 as swapped
		from before`,
		[
			collectionId,
			at,
			tokens.map(({ tokenId }) => tokenId),
			tokens.map(({ uri }) => uri),
			tokens.map(({ uriHash }) => uriHash),
			tokens.map(({ name }) => name),
			tokens.map(({ description }) => description),
			tokens.map(({ imageUrl }) => imageUrl),
			tokens.map(({ animationUrl }) => animationUrl),
			tokens.map(({ traits }) => (traits === null ? null : JSON.stringify(traits))),
			beganAt,
		],
	);
	return rows[0] ?? { changed: 0, swapped: 0 };
}
