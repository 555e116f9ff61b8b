import type { Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";

/** Returns the database's time in Unix ms: the one clock that all processes share. */
export async function databaseTime(db: Queryable): Promise<number> {
	const [row] = await db.query<{ ms: number }>(
		"select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
	);
	assert(row !== undefined, "the statement has one row");
	return Math.floor(row.ms);
}
