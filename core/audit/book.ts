// Seals the rows of audited tables in batches into the audit chain.

import { z } from "zod";
import {
	type AuditBook,
	type BookState,
	type BookWindow,
	bookRows,
	IDLE_SEAL_EVERY_MS,
	leaves,
	readMark,
	SEAL_EVERY_MS,
	SEAL_TIMEOUT_MS,
} from "#core/audit/bookSql.ts";
import type { Audit } from "#core/audit/createAudit.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Job } from "#core/schedule.ts";

/**
 * What is wrong with a row, or with a batch.
 *
 * - `changed`, `missing`, `added`: the row is not what was sealed, is gone, or was not there.
 * - `late`: it was sealed, and claims to be of a time whose rows had been sealed long before.
 * - `ahead`: its transaction's number is none that there has been: no batch would ever cover it.
 * - `leaves_missing`, `leaves_changed`: of the batch itself; then its rows cannot be told apart.
 * - `window`: the batch does not begin where the one before it ended.
 * - `unreadable`: this build does not know the book, the source, or that kind of entry.
 */
export type BookFlaw = {
	book: string;
	/** 0: of no batch. */
	batch: number;
	/** The table; null where it is about the whole batch. */
	source: string | null;
	/** The key of the row, for a person to find it; null where the flaw is about several. */
	row: string | null;
	flaw:
		| "changed"
		| "missing"
		| "added"
		| "late"
		| "ahead"
		| "leaves_missing"
		| "leaves_changed"
		| "window"
		| "unreadable";
};

/** Holds the result of checking the batches of all books. */
export type BookReport = {
	batches: number;
	/** Rows that batches cover, counted once for each batch. */
	rows: number;
	/** Rows that are too new to be sealed yet. */
	unsealed: number;
	flawsTotal: number;
	/** The first of them. */
	flaws: readonly BookFlaw[];
};

export type SealedBatch = BookWindow & {
	book: string;
	batch: number;
	isWhole: boolean;
	sources: Readonly<Record<string, { rows: number; root: string }>>;
	atMs: number;
};

/** `isWhole`: nothing that was committed is left over. */
export type Sealed = { rows: number; isWhole: boolean };

type SealDeps = { db: Database; audit: Audit; clock: Clock };

type SealJobDeps = SealDeps & { metrics: Metrics };

/** "book" in ASCII, for processes that start together. */
const ALIGN_LOCK_KEY = 0x626f6f6b;
/** Exceeds the transactions that a server sees between a batch and a dump taken after it. */
const AHEAD = 2 ** 40;
/**
 * Limits the numbers of transactions that are believed: no real one is higher, even after thousands
 * of restores.
 */
const CREDIBLE = 2 ** 52;

/** The entry that a batch has in the chain. */
export const sealEntry = {
	action: "books.sealed",
	/** Reads what an entry's text says of its batch; null where it is an entry of another kind. */
	read(text: string): SealedBatch | "unreadable" | null {
		const parsed: unknown = JSON.parse(text);
		if (!ofThisKind.safeParse(parsed).success) return null;
		const { data } = schema.safeParse(parsed);
		return data ? { ...data.detail, atMs: Date.parse(data.at) } : "unreadable";
	},
};

const mark = z.object({ tx: z.int(), open: z.array(z.int()) });
const ofThisKind = z.object({ action: z.literal("books.sealed") });
const schema = z.object({
	at: z.string(),
	detail: z.object({
		book: z.string(),
		batch: z.int(),
		from: mark,
		to: mark,
		/** True if all that was committed by then is in this batch or an earlier one. */
		isWhole: z.boolean(),
		/** By source: the number of rows, and the sha256 of their leaves. */
		sources: z.record(z.string(), z.object({ rows: z.int(), root: z.string() })),
	}),
});

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

/** Seals what is new in a book, batch by batch, until nothing is left over. */
export function sealBookJob(deps: SealJobDeps, book: AuditBook): Job {
	const sealed = deps.metrics.counter<"book">({
		name: "audit_book_rows_total",
		help: "Rows whose hashes went to the audit chain",
		labels: ["book"],
	});
	const seconds = deps.metrics.counter<"book">({
		name: "audit_book_seal_seconds_total",
		help: "Time that sealing rows of a book took",
		labels: ["book"],
	});
	const sealedAt = deps.metrics.gauge<"book">({
		name: "audit_book_sealed_timestamp_seconds",
		help: "When all rows of a book had last been sealed, by the process that does it",
		labels: ["book"],
	});
	return {
		name: `core.seal-${book.name}`,
		schedule: { everyMs: SEAL_EVERY_MS },
		lock: "cluster",
		timeoutMs: SEAL_TIMEOUT_MS,
		async run({ signal }) {
			let isWhole = false;
			while (!isWhole && !signal.aborted) {
				const beganMs = deps.clock.nowMs();
				const batch = await sealBook(deps, book);
				sealed.inc({ book: book.name }, batch.rows);
				const tookMs = Math.max(0, deps.clock.nowMs() - beganMs);
				if (batch.rows > 0) seconds.inc({ book: book.name }, tookMs / 1_000);
				isWhole = batch.isWhole;
			}
			if (isWhole) sealedAt.set({ book: book.name }, deps.clock.nowMs() / 1_000);
		},
	};
}

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
