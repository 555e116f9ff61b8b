import type { Degradation } from "#core/http/ReadyReport.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";
import { type Quarantined, readQuarantined } from "#core/quarantine/sql/readQuarantined.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type BlockedQueue, blockedQueues } from "#plugins/wallets/watch/blockedQueues.ts";
import { countOpen, type OpenCount } from "#plugins/wallets/watch/countOpen.ts";
import { createLedgerCheck } from "#plugins/wallets/watch/createLedgerCheck.ts";
import { degradationsOf } from "#plugins/wallets/watch/degradationsOf.ts";
import { type JudgedIntent, judgeAll } from "#plugins/wallets/watch/judgeAll.ts";
import {
	WATCH_EVERY_MS,
	WATCH_FRESH_MS,
	WATCH_TIMEOUT_MS,
	WATCHED_MAX,
} from "#plugins/wallets/watch/limits.ts";
import type { FlawedIntent } from "#plugins/wallets/watch/readLedgerFlaws.ts";
import { readWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { showFigures } from "#plugins/wallets/watch/showFigures.ts";
import { watchMetrics } from "#plugins/wallets/watch/watchMetrics.ts";

/** How money that waits stands at one moment. */
export type Watched = {
	atMs: number;
	open: readonly OpenCount[];
	waiting: readonly JudgedIntent[];
	queues: readonly BlockedQueue[];
	quarantined: readonly Quarantined[];
	flawed: readonly FlawedIntent[];
};

export type WatchOptions = {
	deps: Pick<ExecutionDeps, "db" | "clock" | "nonceClaims" | "settings">;
	metrics: Metrics;
	/** How a chain is called in figures. */
	chainName(chainId: number): string;
};

/** Watches money that waits: for `/readyz` when it is asked for, for `/metrics` by its job. */
export type Watch = { degraded(): Promise<Degradation[]>; job: Job };

/**
 * All reads are bounded and along indexes, and an answer is given again for `WATCH_FRESH_MS`,
 * whoever asks: `/readyz` is open to everybody.
 */
export function createWatch(options: WatchOptions): Watch {
	const { deps, metrics, chainName } = options;
	const figures = watchMetrics(metrics);
	const ledger = createLedgerCheck(deps.db);
	let newest: Watched | null = null;
	let reading: Promise<Watched> | null = null;

	async function read(): Promise<Watched> {
		const { db, clock, settings } = deps;
		const atMs = clock.nowMs();
		const { slowAfter } = settings;
		const rows = await readWaiting(db, { slowAfter, nowMs: atMs, limit: WATCHED_MAX });
		const waiting = await judgeAll(deps, rows, atMs);
		const marks = await readQuarantined(db);
		newest = {
			atMs,
			open: await countOpen(db),
			waiting,
			queues: blockedQueues(waiting),
			quarantined: marks.filter(({ table }) => table.startsWith("wallets.")),
			flawed: await ledger.turn(),
		};
		return newest;
	}

	/** Those who come while it is read get the same. */
	async function watched(): Promise<Watched> {
		const ageMs = newest ? Math.abs(deps.clock.nowMs() - newest.atMs) : Number.POSITIVE_INFINITY;
		if (newest && ageMs < WATCH_FRESH_MS) return newest;
		reading ??= read().finally(() => {
			reading = null;
		});
		return reading;
	}

	return {
		degraded: async () => degradationsOf(await watched()),
		job: {
			name: "wallets.watch",
			schedule: { everyMs: WATCH_EVERY_MS },
			// Each process shows the figures.
			lock: "process",
			timeoutMs: WATCH_TIMEOUT_MS,
			run: async () => showFigures(figures, await watched(), chainName),
		},
	};
}
