// Watches whether sealing keeps up, and whether the newest part of the chain is whole.

import { type SealedBatch, sealEntry } from "#core/audit/book.ts";
import { type AuditBook, BEFORE_ALL, bookRows } from "#core/audit/bookSql.ts";
import { readHead } from "#core/audit/createAudit.ts";
import { readBatchFlaws } from "#core/audit/verifyBook.ts";
import { readEntries, verifyChain } from "#core/audit/verifyChain.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Job } from "#core/schedule.ts";

/** Lists flaws, each in a few words for the log: which entry, which batch, which row. */
export type NewestFlaws = readonly string[];

/** Watches the audit chain: whether sealing keeps up, and whether its newest part is whole. */
export type AuditWatch = { degraded(): Promise<Degradation[]>; jobs: readonly Job[] };

type AuditWatchDeps = {
	db: Database;
	clock: Clock;
	log: Log;
	metrics: Metrics;
	books: readonly AuditBook[];
};

type Behind = { book: string; sinceMs: number };

/**
 * The interval of checking that books are sealed, and the time without a new batch that is too
 * long.
 */
export const AUDIT_WATCH_EVERY_MS = 10_000;
export const SEALING_BEHIND_AFTER_MS = 60_000;
/** The interval of verifying the newest part of the chain, and how much of it and of each book. */
export const AUDIT_VERIFY_EVERY_MS = 300_000;
export const NEWEST_ENTRIES = 400;
export const NEWEST_BATCHES = 5;
/** How long an answer is reused for all callers. */
export const AUDIT_FRESH_MS = 5_000;
export const AUDIT_TIMEOUT_MS = 60_000;

/**
 * Makes the watch over sealing and the newest part of the chain, with the jobs that check them.
 *
 * Rows may wait some seconds for their batch. Sealing is behind where the same batch
 * has been the last one for a minute while rows wait. What was found broken stays so until a later
 * turn finds it whole.
 */
export function createAuditWatch({ db, clock, log, metrics, books }: AuditWatchDeps): AuditWatch {
	const figures = auditFigures(metrics);
	const waiting = new Map<string, { batch: number; sinceMs: number }>();
	let flaws: { count: number; sinceMs: number } = { count: 0, sinceMs: 0 };
	let read: { atMs: number; behind: Promise<Behind[]> } | null = null;

	async function look(nowMs: number): Promise<Behind[]> {
		const behind: Behind[] = [];
		for (const book of books) {
			const { batch, isWaiting } = await hasUnsealed(db, book);
			const known = waiting.get(book.name);
			if (!isWaiting) waiting.delete(book.name);
			else if (known?.batch !== batch) waiting.set(book.name, { batch, sinceMs: nowMs });
			const sinceMs = waiting.get(book.name)?.sinceMs ?? nowMs;
			if (nowMs - sinceMs >= SEALING_BEHIND_AFTER_MS) behind.push({ book: book.name, sinceMs });
		}
		return behind;
	}

	/** Returns the books whose sealing is behind; calls within some seconds share one answer. */
	function behindNow(): Promise<Behind[]> {
		const nowMs = clock.nowMs();
		if (!read || Math.abs(nowMs - read.atMs) >= AUDIT_FRESH_MS) {
			const behind = look(nowMs);
			read = { atMs: nowMs, behind };
			behind.catch(() => {
				read = null;
			});
		}
		return read.behind;
	}

	async function verify(): Promise<void> {
		const found = await verifyNewest(db, books);
		const nowMs = clock.nowMs();
		if (found.length > 0) {
			log.error("the audit chain is broken: run `svc audit verify`", { flaws: found.slice(0, 10) });
		}
		const isNew = flaws.count === 0;
		flaws = { count: found.length, sinceMs: isNew ? nowMs : flaws.sinceMs };
		figures.flaws.set({}, found.length);
		figures.verifiedAt.set({}, nowMs / 1_000);
	}

	const job = (name: string, everyMs: number, run: () => Promise<void>): Job => {
		return { name, schedule: { everyMs }, lock: "process", timeoutMs: AUDIT_TIMEOUT_MS, run };
	};
	return {
		async degraded() {
			const nowMs = clock.nowMs();
			const behind = await behindNow();
			return [
				...behind.map(({ book, sinceMs }) => ({
					code: "audit_sealing_behind",
					count: 1,
					oldestAgeSeconds: ageSeconds(sinceMs, nowMs),
					action: `Check the job core.seal-${book} in the log: new rows are not sealed.`,
				})),
				...(flaws.count === 0 ? [] : [broken(flaws, nowMs)]),
			];
		},
		jobs: [
			job("core.audit-watch", AUDIT_WATCH_EVERY_MS, async () => {
				const behind = await behindNow();
				for (const { name } of books) {
					const since = behind.find(({ book }) => book === name)?.sinceMs;
					const age = since === undefined ? 0 : ageSeconds(since, clock.nowMs());
					figures.behind.set({ book: name }, age);
				}
			}),
			job("core.audit-verify-newest", AUDIT_VERIFY_EVERY_MS, verify),
		],
	};
}

/**
 * Returns how many batches a book has, and whether rows wait for the next one: the first row behind
 * the last batch, by each source's index on the transaction's number.
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

function auditFigures(metrics: Metrics) {
	return {
		behind: metrics.gauge<"book">({
			name: "audit_sealing_behind_seconds",
			help: "For how long rows of a book have been waiting for a batch, from a minute on; else 0.",
			labels: ["book"],
		}),
		flaws: metrics.gauge({
			name: "audit_newest_flaws",
			help: "What does not fit in the newest part of the audit chain and its batches.",
		}),
		verifiedAt: metrics.gauge({
			name: "audit_verified_timestamp_seconds",
			help: "When the newest part of the audit chain was last verified.",
		}),
	};
}

function ageSeconds(sinceMs: number, nowMs: number): number {
	return Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
}

function broken(
	{ count, sinceMs }: { count: number; sinceMs: number },
	nowMs: number,
): Degradation {
	return {
		code: "audit_broken",
		count,
		oldestAgeSeconds: ageSeconds(sinceMs, nowMs),
		action: "Run `svc audit verify`: it names what was changed. Keep the database as it is.",
	};
}
