import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns the state of finished transactions as text: two equal texts mean that nothing was
 * committed in between, so rows read since the first are still current (PostgreSQL,
 * `pg_current_snapshot`).
 *
 * It says nothing about other parts of an answer (time, a process's memory).
 */
export async function readSnapshot(db: Queryable): Promise<string> {
	const [row] = await db.query<{ snapshot: string }>(
		"select pg_current_snapshot()::text as snapshot",
	);
	return row?.snapshot ?? "";
}
