import type { Queryable } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
} from "#plugins/market-index/sql/eventColumns.ts";
import type { TokenFacts } from "#plugins/market-index/tokens/sql/readTokenFacts.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

export type LatestMint = {
	chainId: number;
	event: StoredEvent;
	collection: { slug: string; name: string | null; imageUrl: string | null };
	/** The token's present metadata; null where it was not read. */
	token: Pick<TokenFacts, "imageUrl" | "traits">;
};

const LATEST_FIRST =
	"last_mint_hour desc nulls last, last_mint_at desc, last_mint_position desc, id";

/**
 * Returns the newest accepted mints on these chains.
 *
 * The newest N mints are all from the N collections that minted last, so those are found first, by
 * the index `collection_last_mint` of each chain, and then each one's newest by
 * `event_by_collection` (collection, kind, time), not further back than the last mint of the N-th.
 * There is no index of events by chain and time: it would slow every insert.
 */
export async function readLatestMints(
	db: Queryable,
	options: { chainIds: readonly number[]; limit: number },
): Promise<LatestMint[]> {
	const rows = await db.query<
		EventColumns & {
			slug: string;
			name: string | null;
			collectionImageUrl: string | null;
			tokenImageUrl: string | null;
			tokenTraits: TokenTrait[] | null;
		}
	>(
		`with latest as materialized (
			select minted.* from unnest($1::int8[]) as chain (id)
			cross join lateral (
				select id, address, slug, name, image_url, last_mint_hour, last_mint_at,
					last_mint_position
				from market_index.collection
				where chain_id = chain.id and not excluded and last_mint_at is not null
				order by ${LATEST_FIRST} limit $2
			) as minted
			order by ${LATEST_FIRST} limit $2
		), horizon as (
			select case when count(*) < $2 then '-infinity' else min(last_mint_at) end as at
			from latest
		), shown as (
			select ${EVENT_COLUMNS}, c.id as "collectionId", c.slug, c.name,
				c.image_url as "collectionImageUrl"
			from latest as c
			cross join lateral (
				select * from market_index.event
				where collection_id = c.id and kind = $3 and accepted
					and occurred_at >= (select at from horizon)
				order by occurred_at desc, block_number desc, log_index desc, sub_index desc
				limit $2
			) as e
			order by e.occurred_at desc, e.block_number desc, e.log_index desc, e.sub_index desc
			limit $2
		)
		select shown.*, t.image_url as "tokenImageUrl", t.traits as "tokenTraits"
		from shown left join market_index.token as t
			on t.collection_id = shown."collectionId" and t.token_id = shown."tokenId"
		order by shown."occurredAt" desc, shown."blockNumber" desc, shown."logIndex" desc,
			shown."subIndex" desc`,
		[options.chainIds, options.limit, EVENT_KIND.mint],
	);
	return rows.map(({ slug, name, collectionImageUrl, tokenImageUrl, tokenTraits, ...event }) => ({
		chainId: event.chainId,
		event: eventOf(event),
		collection: { slug, name, imageUrl: collectionImageUrl },
		token: { imageUrl: tokenImageUrl, traits: tokenTraits },
	}));
}
