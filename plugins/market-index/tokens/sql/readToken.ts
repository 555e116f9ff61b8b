import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

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
