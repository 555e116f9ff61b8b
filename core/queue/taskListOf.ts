import type { TaskList } from "graphile-worker";
import { assert } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";
import { JOB_ATTEMPTS_MAX } from "#core/queue/createJobQueue.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";

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

/** A Fault that passes by itself is no news before a job is given up for it; a mistake is. */
function sayRetry(log: Log, failed: { task: string; attempts: number; error: unknown }): void {
	const { error, ...context } = failed;
	if (!(error instanceof Fault) || error.retry === "never") {
		log.warn("a job failed; it is tried again", failed);
		return;
	}
	const { code, privateDetail } = error;
	log.info("a job is tried again later", { ...context, code, detail: privateDetail });
}
