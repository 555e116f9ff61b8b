import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import { readBatchFlaws } from "#core/audit/book/readBatchFlaws.ts";
import { type SealedBatch, sealEntry } from "#core/audit/book/sealEntry.ts";
import { readEntries } from "#core/audit/sql/readEntries.ts";
import { readHead } from "#core/audit/sql/readHead.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import { NEWEST_BATCHES, NEWEST_ENTRIES } from "#core/audit/watch/limits.ts";
import type { Queryable } from "#core/db/Database.ts";

/** What does not fit, each in a few words for the log: which entry, which batch, which row. */
export type NewestFlaws = readonly string[];

/**
 * Verifies the newest entries of the chain, and the newest batches of each book against their rows.
 * Costs the same however long the chain is; only `svc audit verify` proves all of it.
 */
export async function verifyNewest(
	db: Queryable,
	books: readonly AuditBook[],
): Promise<NewestFlaws> {
	const { seq } = await readHead(db);
	const from = Math.max(0, seq - NEWEST_ENTRIES);
	const [before] = await readEntries(db, { afterSeq: from - 1, toSeq: from });
	const batches: SealedBatch[] = [];
	const verdict = await verifyChain(db, {
		...(before ? { from: { seq: before.seq, hash: before.hash } } : {}),
		async visit({ entry }) {
			const batch = sealEntry.read(entry);
			if (batch && batch !== "unreadable") batches.push(batch);
		},
	});
	const flaws: string[] = [];
	if (verdict.kind === "broken") flaws.push(`entry ${verdict.seq}: ${verdict.flaw}`);
	for (const book of books) {
		const newest = batches.filter((batch) => batch.book === book.name).slice(-NEWEST_BATCHES);
		for (const batch of newest) {
			for (const source of book.sources) {
				// Whether a row comes late is decided by all batches before it: `svc audit verify` does.
				const lateBeforeMs = Number.NEGATIVE_INFINITY;
				for (const { row, flaw } of await readBatchFlaws(db, { source, batch, lateBeforeMs })) {
					flaws.push(`batch ${batch.batch}, ${source.name} ${row ?? ""}: ${flaw}`);
				}
			}
		}
	}
	return flaws;
}
