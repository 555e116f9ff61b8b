import type { BookSource } from "#core/audit/book/AuditBook.ts";
import type { BookFlaw } from "#core/audit/book/BookFlaw.ts";
import type { BookRow } from "#core/audit/book/sql/leaves.ts";

const HASH_BYTES = 32;

type RowFlaw = { row: string; flaw: BookFlaw["flaw"] };

/**
 * Holds a batch's rows, in the order of their keys, against its leaves. Rows from before
 * `lateBeforeMs` are too old to be new in it.
 */
export function compareLeaves(
	source: Pick<BookSource, "keyBytes" | "nameOf">,
	given: { leaves: Buffer; rows: readonly BookRow[]; lateBeforeMs: number },
): RowFlaw[] {
	const { leaves, rows, lateBeforeMs } = given;
	const flaws: RowFlaw[] = [];
	const flawed = (key: Buffer, flaw: BookFlaw["flaw"]) => {
		flaws.push({ row: source.nameOf(key), flaw });
	};
	const leafBytes = source.keyBytes + HASH_BYTES;
	let place = 0;
	const keyAt = (from: number) => leaves.subarray(from, from + source.keyBytes);
	for (const row of rows) {
		while (place < leaves.length && keyAt(place).compare(row.key) < 0) {
			flawed(keyAt(place), "missing");
			place += leafBytes;
		}
		if (place >= leaves.length || !keyAt(place).equals(row.key)) {
			flawed(row.key, "added");
			continue;
		}
		const hash = leaves.subarray(place + source.keyBytes, place + leafBytes);
		if (row.isLast && !hash.equals(row.hash)) flawed(row.key, "changed");
		else if (row.atMs < lateBeforeMs) flawed(row.key, "late");
		place += leafBytes;
	}
	for (; place < leaves.length; place += leafBytes) flawed(keyAt(place), "missing");
	return flaws;
}
