import type { Tx } from "#core/db/Database.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

/** The most listings that are read, cheapest first: beyond them no floor is found. */
const LISTINGS_MAX = 20_000;

/**
 * Stores the best ask for each counted value, from active listings of tokens with known traits;
 * returns how many of those there are. A value without a listing has none. Listings by
 * `market_order_book` (collection, kind, price), tokens by `token_pkey`.
 */
export async function floorTraits(
	tx: Tx,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<{ listed: number }> {
	await lockTokens(tx, collectionId);
	const rows = await tx.query<{ listed: number }>(
		`with listed as (
			select o.unit_native, t.traits
			from (
				select token_id, unit_native from market_index.market_order
				where collection_id = $1 and kind = 0 and is_active and not is_private
					and unit_native is not null and token_id is not null
					and (starts_at is null or starts_at <= $2)
					and (expires_at is null or expires_at > $2)
				order by unit_native limit $3
			) as o
			join market_index.token as t
				on t.collection_id = $1 and t.token_id = o.token_id and t.traits is not null
		), floors as (
			select trait ->> 'type' as trait_type, trait ->> 'value' as value,
				min(unit_native) as floor
			from listed cross join lateral jsonb_array_elements(traits) as trait
			group by 1, 2
		), written as (
			update market_index.trait_count as kept set floor_native = f.floor
			from market_index.trait_count as old
			left join floors as f on f.trait_type = old.trait_type and f.value = old.value
			where old.collection_id = $1 and kept.collection_id = $1
				and kept.trait_type = old.trait_type and kept.value = old.value
				and kept.floor_native is distinct from f.floor
				and exists (select from listed)
		)
		select count(*)::int4 as listed from listed`,
		[collectionId, at, LISTINGS_MAX],
	);
	return rows[0] ?? { listed: 0 };
}
