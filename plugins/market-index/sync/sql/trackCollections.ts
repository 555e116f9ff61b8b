import type { Queryable } from "#core/db/Database.ts";

/** Adds a row for collections that were never looked for at the provider, newest first. */
export async function trackCollections(
	db: Queryable,
	{ chainIds, limit }: { chainIds: readonly number[]; limit: number },
): Promise<void> {
	await db.execute(
		`insert into market_index.sync (collection_id, chain_id, next_at)
		select c.id, c.chain_id, c.registered_at from market_index.collection as c
		where c.chain_id = any($1::int8[]) and not c.excluded
			and not exists (select from market_index.sync as s where s.collection_id = c.id)
		order by c.id desc limit $2
		on conflict do nothing`,
		[chainIds, limit],
	);
}
