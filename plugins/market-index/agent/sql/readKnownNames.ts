import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns those of the names, in lower case, that a collection has: as its name on any chain, or on
 * these chains as its slug, a former one, or the provider's, with hyphens for blanks.
 *
 * Stops at the first collection of each name, as any number of contracts can share one: `offset 0`
 * keeps PostgreSQL from reading them all once instead. By `collection_name`, the unique slugs of
 * `collection` and `former_slug`, and `sync_slug`.
 */
export async function readKnownNames(
	db: Queryable,
	query: { chainIds: readonly number[]; names: readonly string[] },
): Promise<string[]> {
	if (query.names.length === 0) return [];
	const rows = await db.query<{ name: string }>(
		`select asked.name from unnest($2::text[]) as asked (name)
		cross join lateral (select array[asked.name, replace(asked.name, ' ', '-')] as slugs) as typed
		where exists (
			select from market_index.collection as c
			where lower(c.name) = asked.name and not c.excluded offset 0
		) or exists (
			select from market_index.collection as c
			where c.chain_id = any($1::int8[]) and c.slug = any(typed.slugs) and not c.excluded offset 0
		) or exists (
			select from market_index.former_slug as f
			where f.chain_id = any($1::int8[]) and f.slug = any(typed.slugs) offset 0
		) or exists (
			select from market_index.sync as s
			where s.provider_slug = any(typed.slugs) and s.chain_id = any($1::int8[]) offset 0
		)`,
		[query.chainIds, query.names],
	);
	return rows.map(({ name }) => name);
}
