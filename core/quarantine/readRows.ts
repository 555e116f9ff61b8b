import type { Queryable } from "#core/db/Database.ts";
import type { RowSource } from "#core/quarantine/RowSource.ts";
import { markRows } from "#core/quarantine/sql/markRows.ts";

export type ReadRows<Item> = {
	items: Item[];
	/** Keys of rows that are left out, because they cannot be read. */
	unreadable: string[];
};

const REASON_LENGTH_MAX = 500;

/**
 * Reads rows one by one. Those that cannot be read are left out and marked in
 * `core.quarantined_row`, where operators see them and `quarantineJob` looks for their repair; the
 * rest goes on.
 *
 * A transaction marks nothing: it would hold the mark's lock until it ends, and be rolled back with
 * it perhaps. Whoever reads the row outside of one marks it.
 */
export async function readRows<Row, Item>(
	db: Queryable,
	source: RowSource<Row, Item>,
	rows: readonly Row[],
): Promise<ReadRows<Item>> {
	const items: Item[] = [];
	const marks = new Map<string, string>();
	for (const row of rows) {
		try {
			items.push(source.read(row));
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			marks.set(source.keyOf(row), reason.slice(0, REASON_LENGTH_MAX));
		}
	}
	if (marks.size > 0 && !("inTransaction" in db)) await markRows(db, source.table, marks);
	return { items, unreadable: [...marks.keys()] };
}
