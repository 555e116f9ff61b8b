import type { Queryable } from "#core/db/Database.ts";

export type StoredMonth = {
	/** The partition, with its schema. */
	table: string;
	/** The first moment after it. */
	endsAtMs: number;
};

/** Returns the months of events that have a partition, oldest first. */
export async function listMonths(db: Queryable): Promise<StoredMonth[]> {
	const rows = await db.query<{ name: string }>(
		`select relname as name from pg_inherits join pg_class on oid = inhrelid
		where inhparent = 'market_index.event'::regclass and relname ~ '^event_[0-9]{4}_[0-9]{2}$'
		order by relname`,
	);
	return rows.map(({ name }) => {
		const [year, month] = name.slice("event_".length).split("_").map(Number);
		return { table: `market_index.${name}`, endsAtMs: Date.UTC(year ?? 0, month ?? 0) };
	});
}
