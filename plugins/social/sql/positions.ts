import type { Queryable } from "#core/db/Database.ts";

/** Returns the newest id that polling has read of a source; null before the first poll. */
export async function readPosition(db: Queryable, name: string): Promise<string | null> {
	const [row] = await db.query<{ newestId: string }>(
		`select newest_id as "newestId" from social.position where name = $1`,
		[name],
	);
	return row?.newestId ?? null;
}

/** Moves a position forward; ids grow, so it never goes back. */
export async function movePosition(
	db: Queryable,
	{ name, newestId, at }: { name: string; newestId: string; at: Date },
): Promise<void> {
	await db.execute(
		`insert into social.position as known (name, newest_id, changed_at) values ($1, $2, $3)
		on conflict (name) do update set newest_id = excluded.newest_id, changed_at = $3
			where known.newest_id::numeric < excluded.newest_id::numeric`,
		[name, newestId, at],
	);
}
