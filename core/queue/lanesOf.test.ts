import { expect, test } from "bun:test";
import { z } from "zod";
import { lanesOf } from "#core/queue/lanesOf.ts";
import type { QueueLane, QueueTask } from "#core/queue/QueueTask.ts";

const task = (name: string, lane?: QueueLane): QueueTask => ({
	name,
	payload: z.unknown(),
	attemptsMax: 1,
	timeoutMs: 1,
	run: async () => {},
	...(lane && { lane }),
});

const shape = (tasks: QueueTask[]) =>
	lanesOf(tasks, 4).map((lane) => [lane.concurrency, lane.tasks.map(({ name }) => name)]);

test("tasks that name no lane share the ordinary workers; those that name one have its own", () => {
	const sync = { name: "sync", concurrency: 5 };
	const tasks = [task("a"), task("b", sync), task("c", { ...sync }), task("d")];
	expect(shape(tasks)).toEqual([
		[4, ["a", "d"]],
		[5, ["b", "c"]],
	]);
	expect(shape([])).toEqual([[4, []]]);
});

test("a lane that is named with two numbers of workers is our own mistake", () => {
	const lane = (concurrency: number) => task("x", { name: "sync", concurrency });
	expect(() => lanesOf([lane(5), lane(6)], 4)).toThrow('"sync"');
});
