import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import type { Job } from "#core/schedule/Job.ts";
import { runSchedules, type Schedules } from "#core/schedule/runSchedules.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
const open: Schedules[] = [];
beforeAll(async () => {
	database = await createTestDatabase();
});
afterEach(async () => {
	for (const schedules of open.splice(0)) await schedules.stop();
});
afterAll(() => database.drop());

let names = 0;
type JobOptions = Partial<Job> & Pick<Job, "run">;
const newJob = (options: JobOptions): Job => ({
	name: `job.${++names}`,
	schedule: { everyMs: 2 },
	lock: "process",
	timeoutMs: 60_000,
	...options,
});

/** One process. The database's clock counts how often it was asked: each time a timer fired. */
function start(
	jobs: Job[],
	{ time, ...options }: { stopTimeoutMs?: number; time?: { nowMs: number } } = {},
) {
	const said: [string, unknown][] = [];
	const asked = counter();
	const schedules = runSchedules({
		db: database.db,
		log: { ...silentLog, error: (message, context) => said.push([message, context]) },
		jobs,
		async nowMs() {
			asked.up();
			return time?.nowMs ?? 1_700_000_000_000;
		},
		...options,
	});
	open.push(schedules);
	return { schedules, said, asked };
}

function counter() {
	let count = 0;
	const waiting: { count: number; done: () => void }[] = [];
	return {
		up() {
			count++;
			for (const { count: wanted, done } of waiting) if (count >= wanted) done();
		},
		count: () => count,
		/** Resolves when it stands at `wanted`. */
		reaches: (wanted: number) =>
			new Promise<void>((done) =>
				count >= wanted ? done() : waiting.push({ count: wanted, done }),
			),
	};
}

test("a cluster job's tick runs in one of several processes, the next one too", async () => {
	const time = { nowMs: 1_700_000_000_000 };
	const runs = counter();
	const job = newJob({ lock: "cluster", schedule: { everyMs: 5 }, run: async () => runs.up() });
	const processes = [1, 2, 3].map(() => start([job], { time }));
	const everyoneAsks = (times: number) =>
		Promise.all(processes.map(({ asked }) => asked.reaches(asked.count() + times)));
	// Time stands still: however often their timers fire, it is the same tick.
	await everyoneAsks(4);
	expect(runs.count()).toBe(1);
	time.nowMs += 5;
	await everyoneAsks(4);
	expect(runs.count()).toBe(2);
});

test("a process job runs in every process, again and again", async () => {
	const runs = [counter(), counter()];
	for (const count of runs) start([newJob({ run: async () => count.up() })]);
	await Promise.all(runs.map((count) => count.reaches(3)));
});

/** How often another job of 2 ms runs while one run lasts: longer than the schedule's distance. */
const LASTING: [Job["schedule"], number][] = [
	[{ everyMs: 1 }, 20],
	[{ cron: "* * * * * *" }, 700],
];

for (const [schedule, others] of LASTING) {
	const text = JSON.stringify(schedule);
	test(`a job that takes longer than its distance does not overlap itself: ${text}`, async () => {
		let inside = 0;
		let most = 0;
		const runs = counter();
		const other = counter();
		const slow = newJob({
			schedule,
			async run({ signal }) {
				most = Math.max(most, ++inside);
				runs.up();
				const aborted = new Promise((done) => signal.addEventListener("abort", done));
				await Promise.race([other.reaches(other.count() + others), aborted]);
				inside--;
			},
		});
		start([slow, newJob({ run: async () => other.up() })]);
		await runs.reaches(2);
		expect(most).toBe(1);
	});
}

test("a job that fails is said to have failed, and runs at its next tick", async () => {
	const runs = counter();
	const job = newJob({
		async run() {
			runs.up();
			throw new Error("no");
		},
	});
	const { said } = start([job]);
	await runs.reaches(3);
	expect(said[0]).toMatchObject(["a job failed", { job: job.name }]);
});

test("a job's signal aborts when its time is over, and that is said", async () => {
	const runs = counter();
	const job = newJob({
		timeoutMs: 5,
		async run({ signal }) {
			runs.up();
			await new Promise((done) => signal.addEventListener("abort", done));
		},
	});
	const { said } = start([job]);
	await runs.reaches(2);
	expect(said[0]).toEqual(["a job took too long", { job: job.name }]);
});

test("stopping aborts the run under way, waits for it, and nothing runs afterwards", async () => {
	const runs = counter();
	const events: string[] = [];
	const job = newJob({
		async run({ signal }) {
			runs.up();
			await new Promise((done) => signal.addEventListener("abort", done));
			await new Promise((done) => setImmediate(done));
			events.push("run ended");
		},
	});
	const { schedules, said } = start([job]);
	await runs.reaches(1);
	await schedules.stop();
	events.push("stopped");
	expect({ events, said }).toEqual({ events: ["run ended", "stopped"], said: [] });
	expect(runs.count()).toBe(1);
});

test("a job that ignores its signal is named, and does not keep the process from ending", async () => {
	const runs = counter();
	const job = newJob({
		async run() {
			runs.up();
			await new Promise(() => {});
		},
	});
	const { schedules, said } = start([job], { stopTimeoutMs: 5 });
	await runs.reaches(1);
	await schedules.stop();
	expect(said).toEqual([["jobs did not stop", { jobs: [job.name] }]]);
});
