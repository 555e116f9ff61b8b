import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { createJobQueue, lanesOf, type QueueLane, type QueueTask } from "#core/queue.ts";
import { migrateQueue } from "#core/runQueueWorkers.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createJobQueue", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await migrateQueue(database.connectionString);
	});
	beforeEach(() => database.db.execute("delete from graphile_worker._private_jobs"));
	afterAll(() => database.drop());

	const queue = createJobQueue();
	const job = (key: string, payload: unknown = {}) => ({ task: "test.task", payload, key });

	function jobs() {
		return database.db.query<{ key: string; payload: unknown; priority: number; waits: boolean }>(
			`select j.key, p.payload, j.priority, j.run_at > now() as waits from graphile_worker.jobs as j
		join graphile_worker._private_jobs as p using (id) order by j.key`,
		);
	}

	test("a job is added if and only if its transaction commits", async () => {
		await database.db
			.transaction(async (tx) => {
				await queue.add(tx, [job("a")]);
				throw new Error("rolled back");
			})
			.catch(() => {});
		expect(await jobs()).toEqual([]);
		await database.db.transaction((tx) => queue.add(tx, [job("a", { n: 1 })]));
		expect(await jobs()).toMatchObject([{ key: "a", payload: { n: 1 } }]);
	});

	test("a key queues one job, with the newest payload", async () => {
		await database.db.transaction((tx) => queue.add(tx, [job("a", 1), job("b"), job("a", 2)]));
		await database.db.transaction((tx) => queue.add(tx, [job("a", 3)]));
		expect(await jobs()).toMatchObject([{ key: "a", payload: 3 }, { key: "b" }]);
	});

	test("priority and delay are stored; without them a job is ordinary and due at once", async () => {
		await database.db.transaction((tx) =>
			queue.add(tx, [{ ...job("a"), priority: 5, delayMs: 60_000 }, job("b")]),
		);
		expect(await jobs()).toMatchObject([
			{ priority: 5, waits: true },
			{ priority: 0, waits: false },
		]);
	});

	test("transactions that queue the same jobs in different orders do not deadlock", async () => {
		const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
		const adds = Array.from({ length: 24 }, (_, turn) => {
			const order = turn % 2 ? keys : keys.toReversed();
			return database.db.transaction((tx) =>
				queue.add(
					tx,
					order.map((key) => job(key)),
				),
			);
		});
		await Promise.all(adds);
		expect(await jobs()).toHaveLength(20);
	});

	test("adding no jobs sends no query", async () => {
		await database.db.transaction((tx) => queue.add(tx, []));
		expect(await jobs()).toEqual([]);
	});
});

describe("lanesOf", () => {
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

	test("tasks without a lane share the ordinary workers; a lane's tasks have its own workers", () => {
		const sync = { name: "sync", concurrency: 5 };
		const tasks = [task("a"), task("b", sync), task("c", { ...sync }), task("d")];
		expect(shape(tasks)).toEqual([
			[4, ["a", "d"]],
			[5, ["b", "c"]],
		]);
		expect(shape([])).toEqual([[4, []]]);
	});

	test("a lane that is declared with two numbers of workers fails an assertion", () => {
		const lane = (concurrency: number) => task("x", { name: "sync", concurrency });
		expect(() => lanesOf([lane(5), lane(6)], 4)).toThrow('"sync"');
	});
});
