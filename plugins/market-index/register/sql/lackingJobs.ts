import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns collections registered before a time whose first jobs never finished: `unread` were
 * never asked what their contract says, `unlearned` never had their tokens looked for. The first
 * few of each, by the index `collection_lacking`.
 *
 * Contracts of chains that are not indexed here cannot be asked; their tokens can be looked for.
 * Of those that are, only `level` ones are: the others' names are owed.
 */
export async function lackingJobs(
	db: Queryable,
	query: { indexed: readonly number[]; level: readonly number[]; before: Date; limit: number },
): Promise<{ unread: number[]; unlearned: number[] }> {
	const { indexed, level, before, limit } = query;
	const [unread, unlearned] = await Promise.all([
		db.query<{ id: number }>(
			`select id from market_index.collection
			where metadata_at is null and chain_id = any($1::int8[])
				and not excluded and registered_at < $2
			order by id limit $3`,
			[level, before, limit],
		),
		db.query<{ id: number }>(
			`select id from market_index.collection
			where learned_at is null and (metadata_at is not null or chain_id <> all($1::int8[]))
				and not excluded and registered_at < $2
			order by id limit $3`,
			[indexed, before, limit],
		),
	]);
	const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
	return { unread: idsOf(unread), unlearned: idsOf(unlearned) };
}
