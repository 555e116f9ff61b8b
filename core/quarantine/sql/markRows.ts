import type { Queryable } from "#core/db/Database.ts";

/** Marks rows as unreadable, each with why. One that is marked already stays as it is. */
export async function markRows(
	db: Queryable,
	table: string,
	reasonsByKey: ReadonlyMap<string, string>,
): Promise<void> {
	await db.execute(
		`insert into core.quarantined_row (source, key, reason, since)
		select $1, key, reason, now() from unnest($2::text[], $3::text[]) as t (key, reason)
		on conflict do nothing`,
		[table, [...reasonsByKey.keys()], [...reasonsByKey.values()]],
	);
}
