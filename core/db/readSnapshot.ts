import type { Queryable } from "#core/db/Database.ts";

/**
 * Reads which transactions are over: two equal texts mean that nothing was committed in between, so
 * what was read since the first is what would be read now (PostgreSQL, `pg_current_snapshot`).
 *
 * Whatever else an answer is made of (time, what a process remembers) it says nothing about.
 */
export async function readSnapshot(db: Queryable): Promise<string> {
	const [row] = await db.query<{ snapshot: string }>(
		"select pg_current_snapshot()::text as snapshot",
	);
	return row?.snapshot ?? "";
}
