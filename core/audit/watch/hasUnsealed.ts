import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import { BEFORE_ALL, bookRows } from "#core/audit/book/sql/bookRows.ts";
import type { Queryable } from "#core/db/Database.ts";

/**
 * How many batches a book has, and whether rows wait for the next one: the first row behind the
 * last batch, by each source's index on the transaction's number.
 */
export async function hasUnsealed(
	db: Queryable,
	book: AuditBook,
): Promise<{ batch: number; isWaiting: boolean }> {
	const state = await bookRows.find(db, book.name);
	const stamps = book.sources.flatMap(({ stamp }) => (stamp ? [stamp] : []));
	if (stamps.length === 0) return { batch: state?.batch ?? 0, isWaiting: false };
	const behind = stamps.map(({ table, column }) => {
		return `exists (select from ${table} where ${column} >= $1)`;
	});
	const [row] = await db.query<{ waiting: boolean }>(`select ${behind.join(" or ")} as waiting`, [
		state?.mark.tx ?? BEFORE_ALL,
	]);
	return { batch: state?.batch ?? 0, isWaiting: row?.waiting ?? false };
}
