import type { Queryable } from "#core/db/Database.ts";

export type Quarantined = { table: string; count: number; since: Date };

/** How many rows of each table cannot be read, and since when the first of them; none: no entry. */
export async function readQuarantined(db: Queryable): Promise<Quarantined[]> {
	return db.query<Quarantined>(
		`select source as table, count(*)::int as count, min(since) as since
		from core.quarantined_row group by source order by source`,
	);
}
