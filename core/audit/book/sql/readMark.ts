import type { AuditBook, BookMark } from "#core/audit/book/AuditBook.ts";
import { BATCH_ROWS_MAX, OPEN_MAX } from "#core/audit/book/limits.ts";
import type { Queryable } from "#core/db/Database.ts";

/**
 * Where a batch that begins at `from` ends: at what is committed now, or earlier where that would
 * be too many rows. Null where it can end nowhere yet.
 *
 * Transactions get their numbers in one order and end in another, so "all below the newest" would
 * miss rows that are committed later. PostgreSQL's snapshot says which numbers are still open: they
 * are left out by name, and are of the next batch. No row is marked, and nobody waits.
 */
export async function readMark(
	db: Queryable,
	{ book, from }: { book: AuditBook; from: BookMark },
): Promise<{ mark: BookMark; isWhole: boolean } | null> {
	// By the index on the transaction's number, from where the last batch ended.
	const cuts = book.sources.flatMap(({ stamp }) => {
		if (!stamp) return [];
		const { table, column } = stamp;
		return `(select ${column} from ${table} where ${column} >= $1
			order by ${column} offset $2 limit 1)`;
	});
	const [row] = await db.query<{ to: number; open: string[]; cut: number | null }>(
		`select pg_snapshot_xmax(s)::text::int8 + moved as "to",
			array(select (x::text::int8 + moved)::text from pg_snapshot_xip(s) as x order by x) as open,
			least(${cuts.join(", ")}) as cut
		from (select pg_current_snapshot() as s, core.book_tx_offset() as moved) as now`,
		[from.tx, BATCH_ROWS_MAX],
	);
	if (!row) return null;
	const ends = [row.to];
	if (row.cut !== null) ends.push(row.cut + 1);
	const opened = row.open.map(Number);
	const tooMany = opened[OPEN_MAX];
	if (tooMany !== undefined) ends.push(tooMany);
	const tx = Math.min(...ends);
	// Behind the last batch a window has no other end than the one before it.
	if (tx < from.tx) return null;
	return { mark: { tx, open: opened.filter((number) => number < tx) }, isWhole: tx === row.to };
}
