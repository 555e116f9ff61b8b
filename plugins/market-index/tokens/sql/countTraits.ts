import type { Tx } from "#core/db/Database.ts";
import { TRAIT_VALUES_MAX } from "#plugins/market-index/tokens/limits.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

/**
 * Counts tokens by trait and value from their own metadata, and writes only changed counts. No pair
 * is twice in a token, so that rows are tokens.
 */
export async function countTraits(tx: Tx, collectionId: number): Promise<void> {
	await lockTokens(tx, collectionId);
	await tx.execute(
		`with counted as (
			select trait ->> 'type' as trait_type, trait ->> 'value' as value,
				count(*)::int4 as tokens
			from market_index.token as t cross join lateral jsonb_array_elements(t.traits) as trait
			where t.collection_id = $1 and t.traits is not null
			group by 1, 2 order by 3 desc, 1, 2 limit $2
		), gone as (
			delete from market_index.trait_count as kept
			where collection_id = $1 and not exists (
				select from counted
				where counted.trait_type = kept.trait_type and counted.value = kept.value
			)
		)
		insert into market_index.trait_count as kept (collection_id, trait_type, value, tokens)
		select $1, trait_type, value, tokens from counted
		on conflict (collection_id, trait_type, value) do update set tokens = excluded.tokens
		where kept.tokens <> excluded.tokens`,
		[collectionId, TRAIT_VALUES_MAX],
	);
}
