import { Cron } from "croner";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { claimTick } from "#core/schedule/claimTick.ts";
import type { Job } from "#core/schedule/Job.ts";

export type Schedules = { stop(): Promise<void> };

/** Runs jobs at their times until stopped. A job never overlaps itself in one process. */
export function runSchedules(options: {
	db: Database;
	clock: Clock;
	log: Log;
	jobs: readonly Job[];
}): Schedules {
	const { db, clock, log } = options;
	const stopping = new AbortController();
	const running = new Set<Promise<void>>();
	const stops = options.jobs.map((job) => schedule(job, () => track(runOnce(job))));

	return {
		async stop() {
			for (const stop of stops) stop();
			stopping.abort();
			await Promise.all(running);
		},
	};

	function track(run: Promise<void>): Promise<void> {
		running.add(run);
		return run.finally(() => running.delete(run));
	}

	async function runOnce(job: Job): Promise<void> {
		try {
			if (job.lock === "cluster" && !(await claimTick(db, job, clock.nowMs()))) return;
			const timeout = AbortSignal.timeout(job.timeoutMs);
			await job.run({ signal: AbortSignal.any([stopping.signal, timeout]) });
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
