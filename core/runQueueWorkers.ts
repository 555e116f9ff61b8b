// Runs the queue's workers, and frees the jobs of workers that died.

import { EventEmitter } from "node:events";
import { Logger, type Runner, run, runMigrations, type WorkerEvents } from "graphile-worker";
import { Pool, type PoolClient } from "pg";
import { CONNECTION_IDLE_MS, type Database } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { lanesOf, type QueueTask, type TaskLane, taskListOf } from "#core/queue.ts";
import { sleep } from "#core/time.ts";

export type QueueWorkersOptions = {
	db: Database;
	tasks: readonly QueueTask[];
	concurrency: number;
	/** Says whether this process's clock is wrong: then it takes no job, and others do. */
	isClockOff?: () => boolean;
	log: Log;
};

export type QueueWorkers = {
	/** Waits for jobs under way, then aborts them, then gives them back: bounded in any case. */
	stop(): Promise<void>;
};

type Connected = (
	error: Error | undefined,
	client: PoolClient | undefined,
	release: (error?: Error | boolean) => void,
) => void;

type RunnerOptions = TaskLane & { pgPool: Pool; events: WorkerEvents; log: Log };

/** A worker silent for this long is dead. */
const DEAD_AFTER_SECONDS = 20;

const POLL_MS = 1_000;
const BEAT_MS = 5_000;
const RESTART_MS = 1_000;
/** A job that runs when the queue stops has this long before its signal aborts … */
const STOP_ABORT_MS = 4_000;
/** … and until then before its lock is left to the sweep. */
const STOP_TIMEOUT_MS = 8_000;
const POOL_END_TIMEOUT_MS = 2_000;

/**
 * Gives each connection back once, however often it is asked to. A listener of the library (0.18)
 * whose connection breaks while it is stopped gives it back twice, and the second time would end
 * the process.
 */
export class QueuePool extends Pool {
	override connect(): Promise<PoolClient>;
	override connect(connected: Connected): void;
	override connect(connected?: Connected): Promise<PoolClient> | void {
		if (!connected) return super.connect();
		super.connect((error, client, release) => {
			let isHeld = true;
			connected(error, client, (broken) => {
				if (isHeld) release(broken);
				isHeld = false;
			});
		});
	}
}

/**
 * Works the queue off in this process until it is stopped. The library ends all its workers when
 * one of them cannot write a job's end, as in a database's restart: they are started again.
 */
export async function runQueueWorkers(options: QueueWorkersOptions): Promise<QueueWorkers> {
	const { db, log, isClockOff = () => false } = options;
	const lanes = lanesOf(options.tasks, options.concurrency);
	const pgPool = new QueuePool({
		connectionString: db.connectionString,
		// Workers hold a connection only to take a job and to give it back: lanes share them.
		max: Math.max(...lanes.map(({ concurrency }) => concurrency)) + 2 * lanes.length,
		application_name: "tapeline queue",
		idleTimeoutMillis: CONNECTION_IDLE_MS,
	});
	listenForErrors(pgPool, (error) => log.warn("a queue connection broke", { error }));
	const stopping = new AbortController();
	const { events, poolIds, endedIds } = followPools();
	const start = ({ concurrency, tasks }: TaskLane) =>
		startRunner({ pgPool, events, log, concurrency, tasks });
	const running: { current: Runner; supervised: Promise<void> }[] = [];
	try {
		for (const lane of lanes) {
			const kept = { current: await start(lane), supervised: Promise.resolve() };
			kept.supervised = keepRunning(kept, lane);
			running.push(kept);
		}
	} catch (error) {
		stopping.abort();
		await Promise.all(running.map(({ current }) => current.stop().catch(() => {})));
		await pgPool.end();
		throw error;
	}
	const beats = keepBeating({ db, log, poolIds });
	await beats.beat();
	const clockWatch = setInterval(() => {
		// They end with what they have begun, and `keepRunning` starts them once the clock is right.
		if (isClockOff()) for (const { current } of running) void current.stop().catch(() => {});
	}, POLL_MS);

	let stopped: Promise<void> | null = null;
	return {
		stop() {
			stopped ??= stop();
			return stopped;
		},
	};

	async function stop(): Promise<void> {
		stopping.abort();
		clearInterval(clockWatch);
		const ended = running.map(async ({ current, supervised }) => {
			await current.stop().catch((error) => log.warn("the queue stopped badly", { error }));
			await supervised;
		});
		await inTime(Promise.all(ended), STOP_TIMEOUT_MS);
		await beats.stop();
		await inTime(pgPool.end(), POOL_END_TIMEOUT_MS);
	}

	async function keepRunning(kept: { current: Runner }, lane: TaskLane): Promise<void> {
		let current: Runner | null = kept.current;
		while (!stopping.signal.aborted) {
			await current?.promise.catch((error) => log.warn("the queue's workers failed", { error }));
			if (stopping.signal.aborted) return;
			if (current && !isClockOff()) log.error("the queue's workers ended; they are started again");
			do await sleep(RESTART_MS, stopping.signal);
			while (isClockOff() && !stopping.signal.aborted);
			if (stopping.signal.aborted) return;
			// Nothing of theirs runs any more, so nobody need wait for the sweep.
			await unlock(db, endedIds).catch((error) => log.warn("jobs stay locked", { error }));
			current = await start(lane).catch((error) => {
				log.warn("the queue's workers did not start", { error });
				return null;
			});
			kept.current = current ?? kept.current;
			// Stopped while it started: nobody else knows this one.
			if (current && stopping.signal.aborted) await current.stop().catch(() => {});
		}
	}
}

/**
 * Stores that these workers live, and frees the jobs of workers that no longer do: a process
 * killed in the middle of a job must cost that job seconds, not the queue's four hours.
 *
 * A worker is whatever name the queue locks jobs by (its pool's). One that was killed before its
 * first beat left no heartbeat, so locks of names that nobody knows are given free too.
 */
export async function beatAndSweep(db: Database, workers: readonly string[]): Promise<void> {
	await db.transaction(async (tx) => {
		// Sorted, so that processes that sweep at the same time wait and do not deadlock.
		await tx.execute(
			`insert into core.worker_heartbeat (worker_id, beat_at)
			select worker_id, now() from unnest($1::text[]) as given (worker_id)
			on conflict (worker_id) do update set beat_at = excluded.beat_at`,
			[[...workers].sort()],
		);
		const silent = await tx.query<{ id: string }>(
			`delete from core.worker_heartbeat where worker_id in (
				select worker_id from core.worker_heartbeat
				where beat_at < now() - $1 * interval '1 second'
				order by worker_id for update skip locked
			) returning worker_id as id`,
			[DEAD_AFTER_SECONDS],
		);
		const unknown = await tx.query<{ id: string }>(
			`select distinct locked_by as id from graphile_worker.jobs
			where locked_at < now() - $1 * interval '1 second'
			and not exists (select from core.worker_heartbeat where worker_id = locked_by)`,
			[DEAD_AFTER_SECONDS],
		);
		const dead = new Set([...silent, ...unknown].map(({ id }) => id));
		if (dead.size === 0) return;
		await tx.execute("select graphile_worker.force_unlock_workers($1::text[])", [[...dead]]);
	});
}

/** Builds the queue's own tables. It takes a lock of its own, so any process may call it. */
export async function migrateQueue(connectionString: string): Promise<void> {
	const pool = new Pool({ connectionString, max: 1, application_name: "tapeline migrate" });
	listenForErrors(pool, () => {});
	try {
		await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) });
	} finally {
		await pool.end();
	}
}

/** Listens to broken connections, which are replaced; without a listener one ends the process. */
function listenForErrors(pool: Pool, listener: (error: Error) => void): void {
	pool.on("error", listener);
	pool.on("connect", (client) => client.on("error", listener));
}

/**
 * Follows the names that this process's workers lock jobs by: their pools', not the workers' own.
 */
function followPools() {
	const events: WorkerEvents = new EventEmitter();
	const poolIds = new Set<string>();
	const endedIds = new Set<string>();
	events.on("pool:create", ({ workerPool }) => poolIds.add(workerPool.id));
	events.on("pool:release", ({ workerPool }) => {
		poolIds.delete(workerPool.id);
		endedIds.add(workerPool.id);
	});
	return { events, poolIds, endedIds };
}

function startRunner({ pgPool, events, log, concurrency, tasks }: RunnerOptions): Promise<Runner> {
	return run({
		pgPool,
		taskList: taskListOf(tasks, log),
		noHandleSignals: true,
		events,
		logger: loggerOf(log),
		// Schedules are ours: a file `crontab` in the working directory must not run.
		parsedCronItems: [],
		preset: {
			worker: {
				concurrentJobs: concurrency,
				pollInterval: POLL_MS,
				gracefulShutdownAbortTimeout: STOP_ABORT_MS,
				// A job's end is written in batches, of whatever is there now: the other way the
				// library neither waits for the write when it stops nor handles its failure (0.18).
				completeJobBatchDelay: 0,
				failJobBatchDelay: 0,
			},
		},
	});
}

function loggerOf(log: Log): Logger {
	return new Logger(() => (level, said, meta) => {
		// Of a job that failed the task list has told in our own words, on one line.
		if (level === "error" && meta?.["failure"] !== true) log.warn("the queue reports", { said });
		else log.debug("the queue reports", { said });
	});
}

function keepBeating({ db, log, poolIds }: { db: Database; log: Log; poolIds: Set<string> }) {
	let beating: Promise<void> | null = null;
	const beat = () => {
		beating ??= beatAndSweep(db, [...poolIds])
			.catch((error) => log.warn("the queue's heartbeat", { error }))
			.finally(() => {
				beating = null;
			});
		return beating;
	};
	const timer = setInterval(beat, BEAT_MS);
	return {
		beat,
		async stop() {
			clearInterval(timer);
			await beating;
		},
	};
}

async function inTime(work: Promise<unknown>, timeoutMs: number): Promise<void> {
	const done = new AbortController();
	await Promise.race([work, sleep(timeoutMs, done.signal)]);
	done.abort();
}

async function unlock(db: Database, poolIds: Set<string>): Promise<void> {
	await db.execute("select graphile_worker.force_unlock_workers($1::text[])", [[...poolIds]]);
	poolIds.clear();
}
