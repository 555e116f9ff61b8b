import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { defineFaults } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { createJobQueue, type QueueTask } from "#core/queue.ts";
import {
	beatAndSweep,
	migrateQueue,
	QueuePool,
	type QueueWorkers,
	runQueueWorkers,
} from "#core/runQueueWorkers.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
const open: QueueWorkers[] = [];
beforeAll(async () => {
	database = await createTestDatabase();
	await Promise.all([1, 2, 3].map(() => migrateQueue(database.connectionString)));
});
beforeEach(async () => {
	await database.db.execute("delete from graphile_worker._private_jobs");
	await database.db.execute("delete from core.worker_heartbeat");
});
afterEach(async () => {
	for (const workers of open.splice(0)) await workers.stop();
});
afterAll(() => database.drop());

const payload = z.object({ n: z.int() });
type Run = QueueTask<typeof payload>["run"];
const task = (run: Run, options: Partial<QueueTask<typeof payload>> = {}): QueueTask => ({
	name: "test.task",
	payload,
	attemptsMax: 12,
	timeoutMs: 60_000,
	run,
	...options,
});

type Options = { isClockOff?: () => boolean; concurrency?: number };

async function start(tasks: QueueTask[], options: Options = {}) {
	const said: string[] = [];
	const warned: string[] = [];
	const log = {
		...silentLog,
		error: (message: string) => said.push(message),
		warn: (message: string) => warned.push(message),
	};
	const workers = await runQueueWorkers({
		db: database.db,
		tasks,
		concurrency: 2,
		log,
		...options,
	});
	open.push(workers);
	return { workers, said, warned };
}

const add = (...payloads: unknown[]) =>
	database.db.transaction((tx) =>
		createJobQueue().add(
			tx,
			payloads.map((payload, index) => ({ task: "test.task", payload, key: `k${index}` })),
		),
	);

const jobs = () =>
	database.db.query<{ attempts: number; locked_by: string | null; last_error: string | null }>(
		"select attempts, locked_by, last_error from graphile_worker.jobs order by key",
	);

/** Asks PostgreSQL until it is so; the test's own time limit bounds it. */
async function until(holds: () => Promise<boolean>): Promise<void> {
	while (!(await holds())) await database.db.query("select pg_sleep(0.005)");
}
const left = (count: number) => until(async () => (await jobs()).length === count);

/** Makes whatever waits for its next attempt due, as if the time had passed. */
const makeDue = () =>
	database.db.execute(
		"update graphile_worker._private_jobs set run_at = now() where locked_by is null",
	);

test("an added job runs with its payload, and is then deleted", async () => {
	const done: number[] = [];
	await start([task(async ({ n }) => void done.push(n))]);
	await add({ n: 1 }, { n: 2 }, { n: 3 });
	await left(0);
	expect(done.toSorted()).toEqual([1, 2, 3]);
});

test("a job that was added while no worker ran is done when a worker starts", async () => {
	const done: number[] = [];
	await add({ n: 1 });
	await start([task(async ({ n }) => void done.push(n))]);
	await left(0);
	expect(done).toEqual([1]);
});

test("no job is taken while the process's clock is wrong, and work continues once it is right", async () => {
	const done: number[] = [];
	let isOff = false;
	const { warned, said } = await start([task(async ({ n }) => void done.push(n))], {
		isClockOff: () => isOff,
	});
	const listeners = async () => {
		const rows = await database.db.query(
			`select from pg_stat_activity where datname = current_database()
				and application_name = 'tapeline queue' and query ~* '^\\s*listen'`,
		);
		return rows.length;
	};
	await until(async () => (await listeners()) === 1);
	isOff = true;
	await until(async () => (await listeners()) === 0);
	await add({ n: 1 });
	expect(done).toEqual([]);
	isOff = false;
	await left(0);
	expect({ done, warned, said }).toEqual({ done: [1], warned: [], said: [] });
});

test("a job that fails stays queued with its error, and is tried again", async () => {
	let attempts = 0;
	await start([
		task(async () => {
			if (++attempts === 1) throw new Error("the first time");
		}),
	]);
	await add({ n: 1 });
	await until(async () => (await jobs())[0]?.last_error === "the first time");
	await makeDue();
	await left(0);
	expect(attempts).toBe(2);
});

test("a passing failure is not logged before its job is given up; a programming error is, each time", async () => {
	const fault = defineFaults({ busy: { status: 503, retry: "later", public: "Busy." } });
	const failures = [fault.busy(), new Error("a mistake")];
	const { warned } = await start([
		task(async () => {
			const failure = failures.shift();
			if (failure) throw failure;
		}),
	]);
	await add({ n: 1 });
	for (const failed of ["busy: Busy.", "a mistake"]) {
		await until(async () => (await jobs())[0]?.last_error === failed);
		await makeDue();
	}
	await left(0);
	expect(warned).toEqual(["a job failed; it is tried again"]);
});

test("a job is given up after its task's attempts, and that is logged", async () => {
	let attempts = 0;
	const run = async () => {
		attempts++;
		throw new Error("never");
	};
	const { said } = await start([task(run, { attemptsMax: 2 })]);
	await add({ n: 1 });
	await until(async () => (await jobs())[0]?.last_error === "never");
	await makeDue();
	await left(0);
	expect({ attempts, said }).toEqual({ attempts: 2, said: ["a job was given up"] });
});

test("a payload that does not fit its task is logged once and deleted", async () => {
	const { said } = await start([task(async () => expect.unreachable())]);
	await add({ n: "one" });
	await left(0);
	expect(said).toEqual(["a job's payload does not fit its task"]);
});

test("a job's signal aborts after its time limit", async () => {
	const reasons: string[] = [];
	const run: Run = async (_, { signal }) => {
		await new Promise((done) => signal.addEventListener("abort", done));
		reasons.push(signal.reason.name);
	};
	await start([task(run, { timeoutMs: 5 })]);
	await add({ n: 1 });
	await left(0);
	expect(reasons).toEqual(["TimeoutError"]);
});

test("a dead worker's job is freed by the other workers, and done", async () => {
	await add({ n: 1 });
	await database.db.execute(
		`update graphile_worker._private_jobs set locked_by = 'pool-dead', locked_at = now(), attempts = 1`,
	);
	await database.db.execute(
		"insert into core.worker_heartbeat values ('pool-dead', now() - interval '19 seconds')",
	);
	await beatAndSweep(database.db, ["pool-alive"]);
	expect(await jobs()).toMatchObject([{ locked_by: "pool-dead" }]);
	await database.db.execute(
		`update core.worker_heartbeat set beat_at = now() - interval '21 seconds'
		where worker_id = 'pool-dead'`,
	);
	const done: number[] = [];
	await start([task(async ({ n }) => void done.push(n))]);
	await left(0);
	expect(done).toEqual([1]);
});

test("the job of a worker that died before its first heartbeat is freed, that of a new worker is not", async () => {
	await add({ n: 1 }, { n: 2 });
	await database.db.execute(
		`update graphile_worker._private_jobs set locked_by = 'pool-' || key,
			locked_at = now() - case key when 'k0'
			then interval '21 seconds' else interval '1 second' end`,
	);
	await beatAndSweep(database.db, []);
	expect(await jobs()).toMatchObject([{ locked_by: null }, { locked_by: "pool-k1" }]);
});

test("a worker's heartbeat has the same name as its job locks", async () => {
	let finish = () => {};
	const held = new Promise<void>((done) => {
		finish = done;
	});
	await start([task(() => held)]);
	await add({ n: 1 });
	await until(async () => (await jobs())[0]?.locked_by !== null);
	const [job] = await jobs();
	const beats = await database.db.query<{ id: string }>(
		"select worker_id as id from core.worker_heartbeat",
	);
	expect(beats.map(({ id }) => id)).toEqual([job?.locked_by ?? "nobody"]);
	finish();
	await left(0);
});

test("workers continue after all their connections were cut", async () => {
	const done: number[] = [];
	let release = () => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	const { said } = await start([
		task(async ({ n }) => {
			if (n === 1) await held;
			done.push(n);
		}),
	]);
	await add({ n: 1 });
	await until(async () => (await jobs())[0]?.locked_by !== null);
	await database.db.query(
		`select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and application_name = 'tapeline queue'`,
	);
	release();
	await database.db.transaction((tx) =>
		createJobQueue().add(tx, [{ task: "test.task", payload: { n: 2 }, key: "other" }]),
	);
	await until(async () => done.includes(2));
	await left(0);
	expect(said.length).toBeLessThanOrEqual(1);
});

test("a connection that the library gives back twice is given back once", async () => {
	const pool = new QueuePool({ connectionString: database.connectionString, max: 1 });
	await new Promise<void>((resolve, reject) => {
		pool.connect((error, _, release) => {
			if (error) return reject(error);
			release();
			release();
			resolve();
		});
	});
	const [one, two] = [pool.connect(), pool.connect()];
	(await one).release();
	(await two).release();
	expect(pool.totalCount).toBe(1);
	await pool.end();
});

test("stopping waits for the running job, and takes no other", async () => {
	let finish = () => {};
	const events: string[] = [];
	const held = new Promise<void>((done) => {
		finish = done;
	});
	const run = task(async () => {
		await held;
		events.push("job ended");
	});
	// Its only worker has the job: another one might be asking for the next when it is stopped.
	const { workers } = await start([run], { concurrency: 1 });
	await add({ n: 1 });
	await until(async () => (await jobs())[0]?.locked_by !== null);
	const stopped = workers.stop().then(() => events.push("stopped"));
	await database.db.transaction((tx) =>
		createJobQueue().add(tx, [{ task: "test.task", payload: { n: 2 }, key: "later" }]),
	);
	finish();
	await stopped;
	expect(events).toEqual(["job ended", "stopped"]);
	expect(await jobs()).toMatchObject([{ locked_by: null, attempts: 0 }]);
	open.length = 0;
});

test("a lane's jobs have their own workers: waiting ones delay no other jobs", async () => {
	let release = () => {};
	const held = new Promise<void>((done) => {
		release = done;
	});
	const lane = { name: "slow", concurrency: 3 };
	let inside = 0;
	let most = 0;
	const slow = task(
		async () => {
			most = Math.max(most, ++inside);
			await held;
			inside--;
		},
		{ name: "test.slow", lane },
	);
	const done: number[] = [];
	await start([slow, task(async ({ n }) => void done.push(n))]);
	const jobsOf = (name: string, count: number) =>
		Array.from({ length: count }, (_, n) => ({ task: name, payload: { n }, key: `${name}:${n}` }));
	await database.db.transaction((tx) =>
		createJobQueue().add(tx, [...jobsOf("test.slow", 5), ...jobsOf("test.task", 4)]),
	);
	await until(async () => done.length === 4 && inside === 3);
	release();
	await left(0);
	expect(most).toBe(3);
});
