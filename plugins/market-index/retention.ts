// Deletes events that are older than the setting (`plugin.ts`), and says how short it may be.

import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { DAY_MS } from "#core/time.ts";
import {
	dropMonth,
	listMonths,
	pruneElsewhere,
	pruneMinutes,
	pruneUnconfirmed,
} from "#plugins/market-index/sql/partitions.ts";
import { pruneFlags } from "#plugins/market-index/wash/sql.ts";

type RetentionOptions = Pick<Core, "db" | "log"> & {
	keptMs: number;
	limits?: RetentionLimits;
};

export type RetentionLimits = {
	/** Limits how long deleting a month may block readers of events. */
	lockTimeoutMs: number;
	/** Rows deleted by one statement. */
	rowsPerBatch: number;
	/** Statements of each kind in one run; the rest follows the next day. */
	batchesMax: number;
};

type Retention = {
	/** Returns the time from which on events are kept. */
	keptFromMs(): number;
	jobs: readonly Job[];
};

/** The least time that events are kept, in days: the longest range of a route is 30 days. */
export const RETENTION_DAYS_MIN = 35;

/** About ten years: more is a typing error. */
export const RETENTION_DAYS_MAX = 4_000;

/**
 * Contracts of a chain whose owners are kept, by default. Each costs a row of the lane's address
 * filter and one walk: 500 are five queries a block, and hours of walking.
 */
export const WATCHED_DEFAULT = 500;
export const WATCHED_MOST = 5_000;

const LIMITS: RetentionLimits = { lockTimeoutMs: 200, rowsPerBatch: 5_000, batchesMax: 4_000 };

const RUN_TIMEOUT_MS = 3_600_000;

/** Makes the retention of events: as the operator sets it, by default forever. */
export function createRetention(
	core: Pick<Core, "db" | "clock" | "log">,
	days: number | undefined,
): Retention {
	if (days === undefined) return { keptFromMs: () => Number.NEGATIVE_INFINITY, jobs: [] };
	const keptMs = days * DAY_MS;
	const keptFromMs = () => core.clock.nowMs() - keptMs;
	return { keptFromMs, jobs: [retentionJob({ db: core.db, log: core.log, keptMs })] };
}

/**
 * Makes a job that deletes, once a day, what is older than the retention: whole months of events,
 * minutes, and events without a month. Hours and days stay, so figures of all time stay exact.
 */
export function retentionJob(options: RetentionOptions): Job {
	const { limits = LIMITS } = options;
	return {
		name: "market-index.retention",
		// At a quiet hour, when the lock for dropping a month is easier to get.
		schedule: { cron: "17 4 * * *" },
		lock: "cluster",
		timeoutMs: RUN_TIMEOUT_MS,
		async run({ signal }) {
			const { keptMs } = options;
			await dropMonths(options, limits);
			const { rowsPerBatch: limit } = limits;
			const chains = await options.db.query<{ chainId: number }>(
				`select distinct chain_id as "chainId" from market_index.collection order by 1`,
			);
			for (const { chainId } of chains) {
				await inBatches(() => pruneMinutes(options.db, { chainId, keptMs, limit }), limits, signal);
			}
			const past = { keptMs, limit };
			await inBatches(() => pruneElsewhere(options.db, past), limits, signal);
			await inBatches(() => pruneUnconfirmed(options.db, past), limits, signal);
			await inBatches(() => pruneFlags(options.db, past), limits, signal);
		},
	};
}

async function dropMonths(
	{ db, log, keptMs }: RetentionOptions,
	{ lockTimeoutMs }: RetentionLimits,
): Promise<void> {
	for (const month of await listMonths(db)) {
		const { table } = month;
		const found = await dropMonth(db, { ...month, keptMs, lockTimeoutMs });
		if (found === "kept") return;
		if (found === "dropped") log.info("dropped a month", { table });
		else log.warn("a month is being read, and is dropped another day", { table });
	}
}

/** Deletes a few rows at a time, each time committed: lanes write to the same tables meanwhile. */
async function inBatches(
	prune: () => Promise<number>,
	{ rowsPerBatch, batchesMax }: RetentionLimits,
	signal: AbortSignal,
): Promise<void> {
	for (let batch = 0; batch < batchesMax && !signal.aborted; batch++) {
		if ((await prune()) < rowsPerBatch) return;
	}
}
