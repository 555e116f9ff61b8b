import type { Tx } from "#core/db/Database.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";
import type { TokenDocument } from "#plugins/market-index/tokens/TokenDocument.ts";

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
