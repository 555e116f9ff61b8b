import { assert } from "#core/fault/assert.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";

export type TaskLane = { concurrency: number; tasks: QueueTask[] };

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
