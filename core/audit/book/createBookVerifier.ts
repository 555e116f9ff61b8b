import type { AuditBook, BookMark } from "#core/audit/book/AuditBook.ts";
import type { BookFlaw } from "#core/audit/book/BookFlaw.ts";
import type { BookReport } from "#core/audit/book/BookReport.ts";
import { FLAWS_MAX, LATE_AFTER_MS } from "#core/audit/book/limits.ts";
import { readBatchFlaws } from "#core/audit/book/readBatchFlaws.ts";
import { type SealedBatch, sealEntry } from "#core/audit/book/sealEntry.ts";
import { BEFORE_ALL } from "#core/audit/book/sql/bookRows.ts";
import { readAhead } from "#core/audit/book/sql/readAhead.ts";
import type { Queryable } from "#core/db/Database.ts";

export type BookVerifier = {
	/** Takes the chain's entries, all of them, in their order. */
	visit(entry: { entry: string }): Promise<void>;
	end(): Promise<BookReport>;
};

type Progress = { batch: number; mark: BookMark; wholeAtMs: number };

/**
 * Holds rows against the batches whose roots stand in the chain, one batch in memory at a time. The
 * chain itself is somebody else's to prove.
 */
export function createBookVerifier(db: Queryable, books: readonly AuditBook[]): BookVerifier {
	const progress = new Map<string, Progress>();
	const report = { batches: 0, rows: 0, unsealed: 0, flawsTotal: 0, flaws: [] as BookFlaw[] };
	const note = (flaw: BookFlaw): void => {
		report.flawsTotal++;
		if (report.flaws.length < FLAWS_MAX) report.flaws.push(flaw);
	};
	return {
		async visit({ entry }) {
			const batch = sealEntry.read(entry);
			if (!batch) return;
			report.batches++;
			if (batch === "unreadable") return note({ ...UNKNOWN, flaw: "unreadable" });
			const before = progress.get(batch.book) ?? NOTHING;
			const about = { book: batch.book, batch: batch.batch, source: null, row: null };
			if (!follows(batch, before)) note({ ...about, flaw: "window" });
			const { to: mark, isWhole } = batch;
			const wholeAtMs = isWhole ? batch.atMs : before.wholeAtMs;
			progress.set(batch.book, { batch: batch.batch, mark, wholeAtMs });
			const book = books.find(({ name }) => name === batch.book);
			if (!book) return note({ ...about, flaw: "unreadable" });
			for (const name of Object.keys(batch.sources)) {
				if (book.sources.some((source) => source.name === name)) continue;
				note({ ...about, source: name, flaw: "unreadable" });
			}
			for (const source of book.sources) {
				report.rows += batch.sources[source.name]?.rows ?? 0;
				const lateBeforeMs = before.wholeAtMs - LATE_AFTER_MS;
				const flaws = await readBatchFlaws(db, { source, batch, lateBeforeMs });
				for (const flaw of flaws) note({ ...about, source: source.name, ...flaw });
			}
		},
		async end() {
			for (const book of books) {
				const { mark } = progress.get(book.name) ?? NOTHING;
				for (const source of book.sources) {
					if (!source.stamp) continue;
					const { unsealed, ahead } = await readAhead(db, { source, mark });
					report.unsealed += unsealed;
					const about = { book: book.name, batch: 0, source: source.name };
					for (const key of ahead) note({ ...about, row: source.nameOf(key), flaw: "ahead" });
				}
			}
			return report;
		},
	};
}

const NOTHING: Progress = { batch: 0, mark: { tx: BEFORE_ALL, open: [] }, wholeAtMs: 0 };

const UNKNOWN = { book: "", batch: 0, source: null, row: null };

function follows({ batch, from }: SealedBatch, before: Progress): boolean {
	const { tx, open } = before.mark;
	const isSame = from.tx === tx && from.open.length === open.length;
	return batch === before.batch + 1 && isSame && from.open.every((one, at) => one === open[at]);
}
