import type { Queryable } from "#core/db/Database.ts";

export type DueMark = { table: string; key: string; reason: string; isNew: boolean };

/**
 * Marks to be checked now, those first that waited for longest: each turn takes others. What
 * another process is checking is left to it. Along `quarantined_row_check`.
 */
export async function takeDue(
	db: Queryable,
	{ tables, limit }: { tables: readonly string[]; limit: number },
): Promise<DueMark[]> {
	return db.query<DueMark>(
		`with due as (
			select source, key, checked_at from core.quarantined_row where source = any($1)
			order by checked_at nulls first limit $2 for update skip locked
		)
		update core.quarantined_row q set checked_at = now() from due
		where q.source = due.source and q.key = due.key
		returning q.source as table, q.key, q.reason, due.checked_at is null as "isNew"`,
		[tables, limit],
	);
}
