import type { Clock } from "#core/clock/Clock.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { sleep } from "#core/time/sleep.ts";
import type { Syncing } from "#plugins/market-index/sync/createSyncing.ts";
import type { createLine } from "#test/sim/syncs/createLine.ts";

const JOBS = ["full-sync", "lean-sync"];
/** How often a worker without work looks into the line. */
const IDLE_MS = 500;

export type Launching = {
	clock: Clock;
	wait: typeof sleep;
	queue: ReturnType<typeof createLine>;
	/** When each job began last, whoever began it: its tick is nobody else's. */
	ticks: Map<string, number>;
	/** Ends the process. */
	signal: AbortSignal;
};

/** Runs one process that syncs: its clocked jobs, and the workers of its lane. */
export function launchProcess(syncing: Syncing, launching: Launching): void {
	for (const name of JOBS) {
		const job = syncing.jobs.find((one) => one.name === `market-index.${name}`);
		if (!job) throw new Error(`no job ${name}`);
		void tick(job, launching);
	}
	const { queue, wait, signal } = launching;
	const [task] = syncing.tasks;
	for (let worker = 0; task && worker < (task.lane?.concurrency ?? 1); worker++) {
		void (async () => {
			while (!signal.aborted) {
				const job = queue.take();
				if (!job) await wait(IDLE_MS, signal);
				else {
					const ends = within(task.timeoutMs, launching);
					await task.run(job.payload as never, { signal: ends });
				}
			}
		})();
	}
}

async function tick(job: Job, launching: Launching): Promise<void> {
	const { clock, wait, ticks, signal } = launching;
	if (!("everyMs" in job.schedule)) throw new Error(`${job.name} has no distance`);
	const { everyMs } = job.schedule;
	while (!signal.aborted) {
		await wait(everyMs / 10, signal);
		const lastMs = ticks.get(job.name) ?? Number.NEGATIVE_INFINITY;
		if (clock.nowMs() - lastMs < everyMs) continue;
		ticks.set(job.name, clock.nowMs());
		await job.run({ signal: within(job.timeoutMs, launching) });
	}
}

/** Aborts as a queue does: after a time on the test's clock, or with the process. */
function within(ms: number, { wait, signal }: Launching): AbortSignal {
	const timeout = new AbortController();
	void wait(ms, signal).then(() => timeout.abort(new DOMException("late", "TimeoutError")));
	return AbortSignal.any([timeout.signal, signal]);
}
