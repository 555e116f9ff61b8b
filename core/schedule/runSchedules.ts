import { Cron } from "croner";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { claimTick } from "#core/schedule/claimTick.ts";
import type { Job } from "#core/schedule/Job.ts";
import { sleep } from "#core/time/sleep.ts";

export type Schedules = {
	/** No run begins any more; those under way are aborted and, within a bound, waited for. */
	stop(): Promise<void>;
};

export type SchedulesOptions = {
	db: Database;
	/** The database's time, by which ticks are claimed. */
	nowMs: () => Promise<number>;
	log: Log;
	jobs: readonly Job[];
	stopTimeoutMs?: number;
};

const STOP_TIMEOUT_MS = 10_000;

/**
 * Runs jobs at their times until stopped. A job never overlaps itself in one process; a cluster
 * job whose run outlasts its distance may begin in another.
 */
export function runSchedules(options: SchedulesOptions): Schedules {
	const { db, nowMs, log, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
	const stopping = new AbortController();
	const running = new Map<Promise<void>, Job>();
	const stops = options.jobs.map((job) => schedule(job, () => track(job)));

	return {
		async stop() {
			for (const stop of stops) stop();
			stopping.abort();
			const waiting = new AbortController();
			await Promise.race([Promise.all(running.keys()), sleep(stopTimeoutMs, waiting.signal)]);
			waiting.abort();
			const left = [...running.values()].map(({ name }) => name);
			if (left.length > 0) log.error("jobs did not stop", { jobs: left });
		},
	};

	function track(job: Job): Promise<void> {
		const run = runOnce(job);
		running.set(run, job);
		return run.finally(() => running.delete(run));
	}

	async function runOnce(job: Job): Promise<void> {
		const timeout = AbortSignal.timeout(job.timeoutMs);
		try {
			if (job.lock === "cluster") {
				const isOurs = await claimTick({ db, log, job, nowMs: await nowMs() });
				if (!isOurs) return;
			}
			await job.run({ signal: AbortSignal.any([stopping.signal, timeout]) });
			if (timeout.aborted) log.error("a job took too long", { job: job.name });
		} catch (error) {
			if (!stopping.signal.aborted) log.error("a job failed", { job: job.name, error });
		}
	}
}

/** Starts one timer; answers how to stop it. */
function schedule(job: Job, run: () => Promise<void>): () => void {
	if ("cron" in job.schedule) {
		const cron = new Cron(job.schedule.cron, { protect: true, timezone: "UTC" }, run);
		return () => cron.stop();
	}
	let busy = false;
	const timer = setInterval(() => {
		if (busy) return;
		busy = true;
		run().finally(() => {
			busy = false;
		});
	}, job.schedule.everyMs);
	return () => clearInterval(timer);
}
