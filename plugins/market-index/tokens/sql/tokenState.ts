import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { RevealState } from "#plugins/market-index/reveal/revealState.ts";

export type TokenState = {
	id: number;
	chainId: number;
	address: Address;
	standard: "erc721" | "erc1155";
	revealState: RevealState;
	/** When reading all its tokens again began; null while no such reading is under way. */
	rereadSince: Date | null;
	providerSlug: string | null;
	/** True where the provider's collection has this address on another chain too. */
	isTwin: boolean;
	traitsAt: Date | null;
	/** True: its tokens have ranks that were computed here. */
	isRanked: boolean;
	/** When the provider was last asked for its tokens. */
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
	/** Tokens that failed, and for which no other source has told anything. */
	unheard: number;
};

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
