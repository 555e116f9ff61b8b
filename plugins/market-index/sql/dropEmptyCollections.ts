import type { Tx } from "#core/db/Database.ts";

/**
 * Removes those of these collections that nothing speaks for any more: what was seen of them left
 * the chain, and no provider knows them. Answers the ids that are gone.
 */
export async function dropEmptyCollections(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
	if (ids.length === 0) return new Set();
	const rows = await tx.query<{ id: number }>(
		`with empty as (
			select id from market_index.collection as c
			where id = any($1::int4[]) and mints = 0 and sales = 0 and last_provider_at is null
				and not excluded
				and not exists (select from market_index.event as e where e.collection_id = c.id)
		), unnamed as (
			delete from market_index.former_slug where collection_id in (select id from empty)
		)
		delete from market_index.collection where id in (select id from empty) returning id`,
		[ids],
	);
	return new Set(rows.map(({ id }) => id));
}
