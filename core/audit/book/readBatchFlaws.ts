import { createHash } from "node:crypto";
import type { BookSource } from "#core/audit/book/AuditBook.ts";
import type { BookFlaw } from "#core/audit/book/BookFlaw.ts";
import { compareLeaves } from "#core/audit/book/compareLeaves.ts";
import type { SealedBatch } from "#core/audit/book/sealEntry.ts";
import { leaves } from "#core/audit/book/sql/leaves.ts";
import type { Queryable } from "#core/db/Database.ts";

type Found = Pick<BookFlaw, "row" | "flaw">;

/**
 * Holds the rows of one source in a batch against its leaves, and these against the root in the
 * chain. One batch of one source is in memory.
 */
export async function readBatchFlaws(
	db: Queryable,
	given: { source: BookSource; batch: SealedBatch; lateBeforeMs: number },
): Promise<readonly Found[]> {
	const { source, batch, lateBeforeMs } = given;
	const sealed = batch.sources[source.name];
	const rows = await leaves.rows(db, source, batch);
	if (!sealed) return compareLeaves(source, { leaves: Buffer.alloc(0), rows, lateBeforeMs });
	const stored = await leaves.read(db, { source, place: batch });
	if (!stored) return [{ row: null, flaw: "leaves_missing" }];
	const root = createHash("sha256").update(stored).digest("hex");
	if (root !== sealed.root) return [{ row: null, flaw: "leaves_changed" }];
	return compareLeaves(source, { leaves: stored, rows, lateBeforeMs });
}
