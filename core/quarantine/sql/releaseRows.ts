import type { Queryable } from "#core/db/Database.ts";

/** Deletes the marks of rows that can be read again, or are gone. */
export async function releaseRows(
	db: Queryable,
	{ table, keys }: { table: string; keys: readonly string[] },
): Promise<void> {
	await db.execute("delete from core.quarantined_row where source = $1 and key = any($2)", [
		table,
		keys,
	]);
}
