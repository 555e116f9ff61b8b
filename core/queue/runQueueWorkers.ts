import { EventEmitter } from "node:events";
import { Logger, run, runMigrations, type TaskList, type WorkerEvents } from "graphile-worker";
import { Pool } from "pg";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { beatAndSweep } from "#core/queue/beatAndSweep.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";

export type QueueWorkersOptions = {
	db: Database;
	tasks: readonly QueueTask[];
	concurrency: number;
	log: Log;
};

export type QueueWorkers = { stop(): Promise<void> };

const POLL_MS = 1_000;
const BEAT_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;

/** Builds the queue's own tables. It takes a lock of its own, so any process may call it. */
export async function migrateQueue(connectionString: string): Promise<void> {
	const pool = new Pool({ connectionString, max: 1, application_name: "tapeline queue" });
	listenForErrors(pool, () => {});
	try {
		await runMigrations({ pgPool: pool, logger: quiet });
	} finally {
		await pool.end();
	}
}

/** Works the queue off in this process until it is stopped. */
export async function runQueueWorkers(options: QueueWorkersOptions): Promise<QueueWorkers> {
	const { db, log, concurrency } = options;
	const pgPool = new Pool({
		connectionString: db.connectionString,
		max: concurrency + 2,
		application_name: "tapeline queue",
	});
	listenForErrors(pgPool, (error) => log.warn("a queue connection broke", { error }));
	const events: WorkerEvents = new EventEmitter();
	const workers = new Set<string>();
	events.on("worker:create", ({ worker }) => workers.add(worker.workerId));

	const runner = await run({
		pgPool,
		taskList: taskListOf(options.tasks, log),
		concurrency,
		pollInterval: POLL_MS,
		noHandleSignals: true,
		events,
		logger: loggerOf(log),
	});
	const beat = () =>
		beatAndSweep(db, [...workers]).catch((error) => log.warn("the queue's heartbeat", { error }));
	const timer = setInterval(beat, BEAT_MS);
	await beat();

	return {
		async stop() {
			clearInterval(timer);
			const stopped = runner.stop().catch((error) => log.warn("the queue stopped badly", { error }));
			await Promise.race([stopped, Bun.sleep(STOP_TIMEOUT_MS)]);
			await pgPool.end();
		},
	};
}

/** A connection that breaks is replaced; one without a listener would end the process. */
function listenForErrors(pool: Pool, listener: (error: Error) => void): void {
	pool.on("error", listener);
	pool.on("connect", (client) => client.on("error", listener));
}

/** Wraps each task: its payload is parsed, its time is limited, its failure is thrown to retry. */
function taskListOf(tasks: readonly QueueTask[], log: Log): TaskList {
	const list: TaskList = {};
	for (const task of tasks) {
		list[task.name] = async (raw, helpers) => {
			const payload = task.payload.safeParse(raw);
			if (!payload.success) {
				// No attempt will ever read it: said once, and dropped.
				log.error("a job's payload does not fit its task", { task: task.name });
				return;
			}
			const stop = helpers.abortSignal ? [helpers.abortSignal] : [];
			const signal = AbortSignal.any([AbortSignal.timeout(task.timeoutMs), ...stop]);
			await task.run(payload.data, { signal });
		};
	}
	return list;
}

function loggerOf(log: Log): Logger {
	return new Logger(() => (level, message) => {
		if (level === "error") log.warn("the queue reports", { message });
		else log.debug("the queue reports", { message });
	});
}

const quiet = new Logger(() => () => {});
