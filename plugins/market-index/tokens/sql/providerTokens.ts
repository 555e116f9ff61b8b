// Stores what the provider reports of tokens: metadata, counts, floors, standard.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { type TokenDocument, TRAIT_VALUES_MAX } from "#plugins/market-index/tokens/model.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";

export type ProviderToken = { tokenId: bigint; rank: number | null } & TokenDocument;

/**
 * Stores the provider's metadata of tokens whose own could not be read; returns how many have other
 * traits than before. A token that is new here is read from the chain next: its own metadata comes
 * before the provider's. A provider's rank counts where we have none.
 */
export async function writeProviderTokens(
	tx: Tx,
	given: { collectionId: number; at: Date; tokens: readonly ProviderToken[]; room: number },
): Promise<number> {
	const { collectionId, at, tokens, room } = given;
	await lockTokens(tx, collectionId);
	const rows = await tx.query<{ changed: number }>(
		`with given as (
			select distinct on (token_id) * from unnest($3::numeric[], $4::text[], $5::text[],
				$6::text[], $7::text[], $8::jsonb[], $9::int4[])
				as given (token_id, name, description, image_url, animation_url, traits, rank)
		), before as (
			select g.token_id, t.token_id is not null as known,
				t.traits is distinct from g.traits as changed
			from given as g left join market_index.token as t
				on t.collection_id = $1 and t.token_id = g.token_id
			where t.source is distinct from 'chain'
		), kept as (
			select * from before where known
			union all
			(select * from before where not known order by token_id limit $10)
		), written as (
			insert into market_index.token as t (collection_id, token_id, name, description, image_url,
				animation_url, traits, rank, source, fetched_at, next_at)
			select $1, g.token_id, g.name, g.description, g.image_url, g.animation_url, g.traits,
				case when s.ranked_at is null then g.rank end, 'provider', $2, $2
			from kept join given as g using (token_id)
			join market_index.collection as c on c.id = $1
			left join market_index.sync as s on s.collection_id = $1
			on conflict (collection_id, token_id) do update set
				name = excluded.name, description = excluded.description,
				image_url = excluded.image_url, animation_url = excluded.animation_url,
				traits = excluded.traits, rank = coalesce(excluded.rank, t.rank), source = 'provider',
				fetched_at = excluded.fetched_at
			where t.source is distinct from 'chain'
		)
		select count(*) filter (where changed)::int4 as changed from kept`,
		[
			collectionId,
			at,
			tokens.map(({ tokenId }) => tokenId),
			tokens.map(({ name }) => name),
			tokens.map(({ description }) => description),
			tokens.map(({ imageUrl }) => imageUrl),
			tokens.map(({ animationUrl }) => animationUrl),
			tokens.map(({ traits }) => (traits === null ? null : JSON.stringify(traits))),
			tokens.map(({ rank }) => rank),
			room,
		],
	);
	return rows[0]?.changed ?? 0;
}

/**
 * Stores the token standard that the provider states, where no log of the contract has shown one:
 * the provider's lists name contracts without it. Ranks of units are removed, as units are no
 * tokens to compare.
 */
export async function storeProviderStandard(
	tx: Tx,
	{ collectionId, standard }: { collectionId: number; standard: "erc721" | "erc1155" },
): Promise<void> {
	await tx.execute(
		`with changed as (
			update market_index.collection as c set standard = $2
			where id = $1 and standard <> $2 and not exists (
				select from market_index.event where collection_id = $1 and onchain_verified
			)
			returning id
		)
		update market_index.token as t set rank = null
		from changed where t.collection_id = changed.id and t.rank is not null and $2 = 'erc1155'`,
		[collectionId, standard],
	);
}

/** Stores the provider's counts as a collection's own, in place of the former ones. */
export async function writeProviderCounts(
	tx: Tx,
	collectionId: number,
	counts: readonly { type: string; value: string; tokens: number }[],
): Promise<void> {
	const kept = counts.slice(0, TRAIT_VALUES_MAX);
	await lockTokens(tx, collectionId);
	await tx.execute(
		`with given as (
			select trait_type, value, sum(tokens)::int4 as tokens
			from unnest($2::text[], $3::text[], $4::int4[]) as told (trait_type, value, tokens)
			group by 1, 2
		), gone as (
			delete from market_index.trait_count as kept
			where collection_id = $1 and not exists (
				select from given where given.trait_type = kept.trait_type and given.value = kept.value
			)
		)
		insert into market_index.trait_count as kept (collection_id, trait_type, value, tokens)
		select $1, trait_type, value, tokens from given
		on conflict (collection_id, trait_type, value) do update set tokens = excluded.tokens
		where kept.tokens <> excluded.tokens`,
		[
			collectionId,
			kept.map(({ type }) => type),
			kept.map(({ value }) => value),
			kept.map(({ tokens }) => tokens),
		],
	);
}

/**
 * Stores the provider's floors in place of the former ones; a value that it does not name has none.
 */
export async function writeProviderFloors(
	tx: Tx,
	collectionId: number,
	floors: readonly { type: string; value: string; floor: bigint }[],
): Promise<void> {
	await lockTokens(tx, collectionId);
	await tx.execute(
		`update market_index.trait_count as kept set floor_native = f.floor
		from market_index.trait_count as old
		left join (
			select trait_type, value, min(floor) as floor
			from unnest($2::text[], $3::text[], $4::numeric[]) as told (trait_type, value, floor)
			group by 1, 2
		) as f on f.trait_type = old.trait_type and f.value = old.value
		where old.collection_id = $1 and kept.collection_id = $1
			and kept.trait_type = old.trait_type and kept.value = old.value
			and kept.floor_native is distinct from f.floor`,
		[
			collectionId,
			floors.map(({ type }) => type),
			floors.map(({ value }) => value),
			floors.map(({ floor }) => floor),
		],
	);
}

/** Records when the provider was asked for all tokens. The row exists: its slug is from there. */
export async function noteProviderAsked(
	db: Queryable,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<void> {
	await db.execute("update market_index.sync set nfts_at = $2 where collection_id = $1", [
		collectionId,
		at,
	]);
}
