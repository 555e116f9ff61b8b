import type { Tx } from "#core/db/Database.ts";
import { TRAIT_VALUES_MAX } from "#plugins/market-index/tokens/limits.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

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
