import type { Queryable } from "#core/db/Database.ts";

/**
 * Chains of a list on which something was sent that is not seen mined yet, and not for very long:
 * what waits for hours is looked at by the clock alone. Along the index `submission_sent`.
 */
export async function readFollowed(
	db: Queryable,
	{ chainIds, since }: { chainIds: readonly number[]; since: Date },
): Promise<Set<number>> {
	const rows = await db.query<{ id: number }>(
		`select id from unnest($1::int8[]) as chain (id) where exists (
			select from wallets.submission
			where chain_id = chain.id and state = 'sent' and coalesce(sent_at, created_at) > $2
		)`,
		[chainIds, since],
	);
	return new Set(rows.map(({ id }) => id));
}
