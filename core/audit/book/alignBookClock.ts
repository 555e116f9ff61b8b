import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";

/** "book" in ASCII, for processes that start together. */
const ALIGN_LOCK_KEY = 0x626f6f6b;
/** More transactions than a server sees between a batch and the dump that it is restored from. */
const AHEAD = 2 ** 40;
/** No transaction has a higher number, also after thousands of restores: somebody made it up. */
const CREDIBLE = 2 ** 52;

/**
 * Keeps the numbers of transactions rising where a database was restored on a server that counts
 * from anew: rows would get numbers of batches that are sealed. Called before anything is written.
 */
export async function alignBookClock(
	db: Database,
	{ books, log }: { books: readonly AuditBook[]; log: Log },
): Promise<void> {
	await db.transaction(async (tx) => {
		await tx.execute("select pg_advisory_xact_lock($1)", [ALIGN_LOCK_KEY]);
		// Where the indexes on the numbers end.
		const stamps = books.flatMap(({ sources }) => sources.flatMap(({ stamp }) => stamp ?? []));
		const newest = stamps.map(({ table, column }) => {
			return `(select max(${column}) from ${table} where ${column} < ${CREDIBLE})`;
		});
		const [row] = await tx.query<{ now: number; moved: number; highest: number | null }>(
			`select pg_snapshot_xmax(pg_current_snapshot())::text::int8 + core.book_tx_offset() as now,
				core.book_tx_offset() as moved,
				greatest(
					(select max(to_tx) from core.audit_book where to_tx < ${CREDIBLE}),
					${["null", ...newest].join(", ")}
				) as highest`,
		);
		if (!row || row.highest === null || row.highest <= row.now) return;
		const moved = row.moved + (row.highest - row.now) + AHEAD;
		await tx.execute(
			`create or replace function core.book_tx_offset() returns int8
			language sql immutable as 'select ${moved}::int8'`,
		);
		log.warn("the database was restored on another server: its books go on behind what is sealed", {
			moved,
		});
	});
}
