// Compares the rows of audited tables with the batches that sealed them.

import { createHash } from "node:crypto";
import { type BookFlaw, type BookReport, type SealedBatch, sealEntry } from "#core/audit/book.ts";
import {
	type AuditBook,
	BEFORE_ALL,
	type BookMark,
	type BookRow,
	type BookSource,
	FLAWS_MAX,
	LATE_AFTER_MS,
	leaves,
} from "#core/audit/bookSql.ts";
import type { Queryable } from "#core/db/Database.ts";

export type BookVerifier = {
	/** Takes the chain's entries, all of them, in their order. */
	visit(entry: { entry: string }): Promise<void>;
	end(): Promise<BookReport>;
};

type RowFlaw = { row: string; flaw: BookFlaw["flaw"] };

type Found = Pick<BookFlaw, "row" | "flaw">;

type Progress = { batch: number; mark: BookMark; wholeAtMs: number };

const HASH_BYTES = 32;

const INT8_MIN = "-9223372036854775808";
const INT8_MAX = "9223372036854775807";
/**
 * Exceeds the transactions that begin between two statements; a forged lower number is met soon.
 */
const AT_WORK_MAX = 1_000_000;

const NOTHING: Progress = { batch: 0, mark: { tx: BEFORE_ALL, open: [] }, wholeAtMs: 0 };

const UNKNOWN = { book: "", batch: 0, source: null, row: null };

/**
 * Makes the comparison of rows with the batches whose roots are in the chain, one batch in memory
 * at a time. The chain itself is proved by `verifyChain`.
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

/**
 * Compares the rows of one source in a batch with its leaves, and these with the root in the chain.
 * One batch of one source is in memory.
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

/**
 * Compares a batch's rows, in the order of their keys, with its leaves; returns what differs. Rows
 * from before `lateBeforeMs` are too old to be new in it.
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

/**
 * Returns what no batch covers: how many rows are newer than the last batch, and the keys of rows
 * with a transaction number that no transaction has had, so that no batch would ever cover them.
 */
export async function readAhead(
	db: Queryable,
	{ source, mark }: { source: BookSource; mark: BookMark },
): Promise<{ unsealed: number; ahead: Buffer[] }> {
	if (!source.stamp) return { unsealed: 0, ahead: [] };
	const { table, column } = source.stamp;
	const [newer] = await db.query<{ unsealed: number; next: number }>(
		`select count(*) as unsealed,
			pg_snapshot_xmax(pg_current_snapshot())::text::int8 + core.book_tx_offset() as next
		from ${table} where ${column} >= $1 or ${column} = any($2::int8[])`,
		[mark.tx, mark.open],
	);
	const next = newer?.next ?? 0;
	const outside = (from: number | string, to: number | string) =>
		db.query<{ key: Buffer }>(
			`select key from (${source.rows}) as covered order by key limit ${FLAWS_MAX}`,
			[from, [], to, []],
		);
	// A transaction may have begun since the last statement: its number is `next` at least.
	const far = await outside(next + AT_WORK_MAX, INT8_MAX);
	const below = await outside(INT8_MIN, BEFORE_ALL);
	return { unsealed: newer?.unsealed ?? 0, ahead: [...below, ...far].map(({ key }) => key) };
}

function follows({ batch, from }: SealedBatch, before: Progress): boolean {
	const { tx, open } = before.mark;
	const isSame = from.tx === tx && from.open.length === open.length;
	return batch === before.batch + 1 && isSame && from.open.every((one, at) => one === open[at]);
}
