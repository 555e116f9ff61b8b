// Puts durable jobs into the queue, and wraps the tasks that run them.

import type { TaskList } from "graphile-worker";
import type { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

export type NewJob = {
	task: string;
	payload: unknown;
	/** A job with the same key that has not begun is replaced, so one thing queues once. */
	key: string;
	/** Lower runs first. 0 is ordinary, 10 can wait. */
	priority?: number;
	/** The least delay from now. */
	delayMs?: number;
	/** A waiting job with the same key keeps the time it was to run at. */
	keepsTime?: boolean;
};

/** Puts durable work in line. It joins the transaction: no commit, no job. */
export type JobQueue = {
	add(tx: Tx, jobs: readonly NewJob[]): Promise<void>;
};

/** Gives tasks workers of their own, so that long work does not keep other tasks waiting. */
export type QueueLane = { name: string; concurrency: number };

/** Durable work: what was added is done, also after a restart, at least once. */
export type QueueTask<Payload extends z.ZodType = z.ZodType> = {
	/** Unique, `<plugin>.<what>`. */
	name: string;
	payload: Payload;
	/** Attempts in all, 25 at most; the distance between them grows from seconds to hours. */
	attemptsMax: number;
	timeoutMs: number;
	/** Left out: it shares the ordinary workers. Tasks of one name share that lane's. */
	lane?: QueueLane;
	run(payload: z.output<Payload>, context: { signal: AbortSignal }): Promise<void>;
};

export type TaskLane = { concurrency: number; tasks: QueueTask[] };

/** The number of attempts that the worker allows: above any task's own `attemptsMax`. */
export const JOB_ATTEMPTS_MAX = 25;

/** Puts jobs into graphile-worker's tables, inside the caller's transaction. */
export function createJobQueue(): JobQueue {
	return { add: addJobs };
}

/** Sorts tasks by who works them off: the ordinary workers first, then each lane's own. */
export function lanesOf(tasks: readonly QueueTask[], concurrency: number): TaskLane[] {
	const ordinary: TaskLane = { concurrency, tasks: [] };
	const named = new Map<string, TaskLane>();
	for (const task of tasks) {
		const lane = task.lane;
		if (!lane) {
			ordinary.tasks.push(task);
			continue;
		}
		const known = named.get(lane.name) ?? { concurrency: lane.concurrency, tasks: [] };
		assert(
			known.concurrency === lane.concurrency,
			`the lane "${lane.name}" has two numbers of workers`,
		);
		known.tasks.push(task);
		named.set(lane.name, known);
	}
	return [ordinary, ...named.values()];
}

/** Wraps each task: its payload is parsed, its time is limited, its failure is thrown to retry. */
export function taskListOf(tasks: readonly QueueTask[], log: Log): TaskList {
	const list: TaskList = {};
	for (const task of tasks) {
		assert(!Object.hasOwn(list, task.name), `two tasks are called "${task.name}"`);
		assert(task.attemptsMax <= JOB_ATTEMPTS_MAX, `"${task.name}" wants too many attempts`);
		list[task.name] = async (raw, helpers) => {
			const payload = task.payload.safeParse(raw);
			if (!payload.success) {
				// No attempt will ever read it: said once, and dropped.
				log.error("a job's payload does not fit its task", { task: task.name });
				return;
			}
			const stop = helpers.abortSignal ? [helpers.abortSignal] : [];
			const signal = AbortSignal.any([AbortSignal.timeout(task.timeoutMs), ...stop]);
			try {
				await task.run(payload.data, { signal });
			} catch (error) {
				const { attempts, payload } = helpers.job;
				const context = { task: task.name, attempts };
				if (attempts >= task.attemptsMax) {
					log.error("a job was given up", { ...context, payload, error });
					return;
				}
				sayRetry(log, { ...context, error });
				throw error;
			}
		};
	}
	return list;
}

async function addJobs(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
	if (jobs.length === 0) return;
	// By key, so that transactions which queue the same things wait and do not deadlock.
	const sorted = [...jobs].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
	await tx.execute(
		`select graphile_worker.add_job(
			task, payload => payload, run_at => now() + delay_ms * interval '1 millisecond',
			max_attempts => $6, job_key => key, priority => priority,
			job_key_mode => case when keeps_time then 'preserve_run_at' else 'replace' end
		)
		from unnest($1::text[], $2::json[], $3::text[], $4::int4[], $5::int4[], $7::boolean[])
			as given (task, payload, key, priority, delay_ms, keeps_time)`,
		[
			sorted.map((job) => job.task),
			sorted.map((job) => JSON.stringify(job.payload)),
			sorted.map((job) => job.key),
			sorted.map((job) => job.priority ?? 0),
			sorted.map((job) => job.delayMs ?? 0),
			JOB_ATTEMPTS_MAX,
			sorted.map((job) => job.keepsTime ?? false),
		],
	);
}

/** Logs a failed attempt: quietly where it passes by itself, as an error where it is a mistake. */
function sayRetry(log: Log, failed: { task: string; attempts: number; error: unknown }): void {
	const { error, ...context } = failed;
	if (!(error instanceof Fault) || error.retry === "never") {
		log.warn("a job failed; it is tried again", failed);
		return;
	}
	const { code, privateDetail } = error;
	log.info("a job is tried again later", { ...context, code, detail: privateDetail });
}
