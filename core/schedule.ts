// Runs jobs by the clock, in one process or in each.

import { Cron } from "croner";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { sleep } from "#core/time.ts";

/** Work that a plugin does by itself, again and again. */
export type Job = {
	/** Unique in the process, `<plugin>.<what>`. */
	name: string;
	/** Five or six fields, UTC; or a fixed distance between starts. */
	schedule: { cron: string } | { everyMs: number };
	/**
	 * `cluster`: one process does each tick, the first to claim it. `process`: every process does.
	 */
	lock: "cluster" | "process";
	/** Past this the run's signal aborts and the run counts as failed. */
	timeoutMs: number;
	run(context: { signal: AbortSignal }): Promise<void>;
};

export type TickClaim = {
	db: Database;
	log: Log;
	job: Pick<Job, "name" | "schedule">;
	/** The database's time: one clock for all processes, however wrong their own are. */
	nowMs: number;
};

export type Schedules = {
	/** Starts no further runs; those under way are aborted and, within a bound, waited for. */
	stop(): Promise<void>;
};

export type SchedulesOptions = {
	db: Database;
	/** The database's time, by which ticks are claimed. */
	nowMs: () => Promise<number>;
	/** Returns whether this process's clock is wrong: then it takes no tick, and others do. */
	isClockOff?: () => boolean;
	log: Log;
	jobs: readonly Job[];
	stopTimeoutMs?: number;
};

type Tick = {
	atMs: number;
	/** The last claim must not be younger than this. */
	afterMs: number;
	distanceMs: number;
};

/**
 * Timers of one process jitter, and those of a cron follow a clock that is a little off: this much
 * of the distance a tick may be claimed early.
 */
const EARLY_SHARE = 0.1;

/** A claim further ahead than this many distances was made by a wrong clock. */
const AHEAD_DISTANCES_MAX = 2;

const STOP_TIMEOUT_MS = 10_000;

/**
 * Runs jobs at their times until stopped. A job never overlaps itself in one process; a cluster
 * job whose run outlasts its distance may begin in another.
 */
export function runSchedules(options: SchedulesOptions): Schedules {
	const { db, nowMs, isClockOff, log, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
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
			// Asked after the database's time is known: a jump is found before the tick is taken.
			const atMs = job.lock === "cluster" ? await nowMs() : null;
			if (isClockOff?.()) return;
			if (atMs !== null && !(await claimTick({ db, log, job, nowMs: atMs }))) return;
			await job.run({ signal: AbortSignal.any([stopping.signal, timeout]) });
			if (timeout.aborted) log.error("a job took too long", { job: job.name });
		} catch (error) {
			if (!stopping.signal.aborted) log.error("a job failed", { job: job.name, error });
		}
	}
}

/**
 * Claims this tick of a cluster job for this process; false where another was first. The row's own
 * lock decides, so no two processes run one tick however many there are.
 *
 * A cron tick is known by the time it was planned for, so a process that comes late to it claims
 * the same one. An interval's tick comes when nearly a whole distance has passed since the last,
 * since timers of different processes are not in step. A claim that lies far ahead is taken over,
 * so that a clock that was wrong once (the database's, or a process's of an earlier version) stops
 * nobody.
 */
export async function claimTick({ db, log, job, nowMs }: TickClaim): Promise<boolean> {
	const tick = tickOf(job.schedule, nowMs);
	const aheadMs = AHEAD_DISTANCES_MAX * tick.distanceMs;
	const [claimed] = await db.query<{ before: Date | null }>(
		`with before as (select tick_at from core.schedule_tick where name = $1)
		insert into core.schedule_tick as last (name, tick_at) values ($1, $2)
		on conflict (name) do update set tick_at = excluded.tick_at
		where last.tick_at <= $3 or last.tick_at > $4
		returning (select tick_at from before) as before`,
		[job.name, new Date(tick.atMs), new Date(tick.afterMs), new Date(nowMs + aheadMs)],
	);
	if (claimed === undefined) return false;
	const lastMs = claimed.before === null ? 0 : new Date(claimed.before).getTime();
	if (lastMs > nowMs + aheadMs) {
		log.warn("a tick was claimed far ahead, by a wrong clock: it is taken over", {
			job: job.name,
			aheadMs: lastMs - nowMs,
		});
	}
	return true;
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

function tickOf(schedule: Job["schedule"], nowMs: number): Tick {
	if (!("cron" in schedule)) {
		const distanceMs = schedule.everyMs;
		return { atMs: nowMs, afterMs: nowMs - distanceMs * (1 - EARLY_SHARE), distanceMs };
	}
	const cron = new Cron(schedule.cron, { timezone: "UTC", paused: true });
	const [next, afterNext] = cron.nextRuns(2, new Date(nowMs)).map((run) => run.getTime());
	const distanceMs = (afterNext ?? nowMs) - (next ?? nowMs);
	// The tick that is now counts as well, and so does one that is a little early.
	const [planned] = cron.previousRuns(1, new Date(nowMs + distanceMs * EARLY_SHARE));
	const atMs = planned?.getTime() ?? nowMs;
	return { atMs, afterMs: atMs - 1, distanceMs };
}
