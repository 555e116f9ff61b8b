import type { Audit } from "#core/audit/Audit.ts";
import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import { IDLE_SEAL_EVERY_MS } from "#core/audit/book/limits.ts";
import { sealEntry } from "#core/audit/book/sealEntry.ts";
import { type BookState, bookRows } from "#core/audit/book/sql/bookRows.ts";
import { leaves } from "#core/audit/book/sql/leaves.ts";
import { readMark } from "#core/audit/book/sql/readMark.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";

/** `isWhole`: nothing that was committed is left over. */
export type Sealed = { rows: number; isWhole: boolean };

type SealDeps = { db: Database; audit: Audit; clock: Clock };

/**
 * Seals the next batch of a book: leaves, the book's new mark and the entry in the chain, in one
 * transaction. Whoever dies in it has done nothing; of two at once one does it.
 */
export function sealBook({ db, audit, clock }: SealDeps, book: AuditBook): Promise<Sealed> {
	return db.transaction(async (tx) => {
		await bookRows.begin(tx, book.name);
		const last = await bookRows.take(tx, book.name);
		// What another process is sealing right now is sealed.
		if (!last) return { rows: 0, isWhole: true };
		return await sealNext(tx, { book, last, audit, nowMs: clock.nowMs() });
	});
}

async function sealNext(
	tx: Tx,
	given: { book: AuditBook; last: BookState; audit: Audit; nowMs: number },
): Promise<Sealed> {
	const { book, last, audit, nowMs } = given;
	const ended = await readMark(tx, { book, from: last.mark });
	if (!ended) return { rows: 0, isWhole: true };
	const { mark, isWhole } = ended;
	const window = { from: last.mark, to: mark };
	const batch = last.batch + 1;
	const place = { book: book.name, batch };
	const written = await Promise.all(
		book.sources.map(async (source) => {
			return [source.name, await leaves.write(tx, { source, place, window })] as const;
		}),
	);
	const sources = Object.fromEntries(
		written.flatMap(([name, told]) => (told ? [[name, told]] : [])),
	);
	const rows = Object.values(sources).reduce((sum, told) => sum + told.rows, 0);
	const isIdleDue = last.batch > 0 && nowMs - last.sealedAtMs >= IDLE_SEAL_EVERY_MS;
	if (rows === 0 && isWhole && !isIdleDue) return { rows, isWhole };
	await bookRows.move(tx, { name: book.name, state: { batch, mark, sealedAtMs: nowMs } });
	await audit.append(tx, {
		actor: "service:core",
		action: sealEntry.action,
		subject: `book:${book.name}`,
		detail: { book: book.name, batch, ...window, isWhole, sources },
	});
	return { rows, isWhole };
}
