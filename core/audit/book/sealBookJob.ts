import type { Audit } from "#core/audit/Audit.ts";
import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import { SEAL_EVERY_MS, SEAL_TIMEOUT_MS } from "#core/audit/book/limits.ts";
import { sealBook } from "#core/audit/book/sealBook.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";
import type { Job } from "#core/schedule/Job.ts";

type SealDeps = { db: Database; audit: Audit; clock: Clock; metrics: Metrics };

/** Seals what is new in a book, batch by batch, until nothing is left over. */
export function sealBookJob(deps: SealDeps, book: AuditBook): Job {
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
