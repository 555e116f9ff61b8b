import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import { claimTick, type Job, runSchedules, type Schedules } from "#core/schedule.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("claimTick", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	let jobs = 0;
	const newJob = (schedule: Job["schedule"]) => ({ name: `job.${++jobs}`, schedule });
	const NOON = Date.UTC(2026, 0, 1, 12);

	let said: [string, unknown][];
	beforeEach(() => {
		said = [];
	});
	const log = {
		...silentLog,
		warn: (message: string, about: unknown) => said.push([message, about]),
	};
	const claim = (job: ReturnType<typeof newJob>, nowMs: number) =>
		claimTick({ db: database.db, log, job, nowMs });

	/** Which of these moments claim a tick, in order. */
	async function claims(job: ReturnType<typeof newJob>, moments: number[]): Promise<number[]> {
		const claimed = [];
		for (const moment of moments) {
			if (await claim(job, NOON + moment)) claimed.push(moment);
		}
		return claimed;
	}

	test("of several processes that ask simultaneously exactly one gets the tick", async () => {
		const job = newJob({ everyMs: 60_000 });
		const ask = () => Promise.all(Array.from({ length: 8 }, () => claim(job, NOON)));
		expect((await ask()).filter(Boolean)).toHaveLength(1);
		expect((await ask()).filter(Boolean)).toHaveLength(0);
	});

	test("processes whose timers are not in step keep the interval's rate together", async () => {
		const job = newJob({ everyMs: 60_000 });
		// The second process is half a distance behind the first, and a little late.
		const moments = [0, 30_100, 60_000, 90_100, 120_000, 150_100, 180_000];
		expect(await claims(job, moments)).toEqual([0, 60_000, 120_000, 180_000]);
	});

	test("a timer that fires a little early still gets its tick", async () => {
		expect(await claims(newJob({ everyMs: 1_000 }), [0, 990, 1_985])).toEqual([0, 990, 1_985]);
	});

	test("a cron tick is run once, however late a process comes to it", async () => {
		const job = newJob({ cron: "*/5 * * * *" });
		const fiveMinutes = 300_000;
		const moments = [0, 3, 700, 1_500, 45_000, fiveMinutes - 2, fiveMinutes, fiveMinutes + 900];
		// Two milliseconds before its time is a timer that fired early, and already the next tick.
		expect(await claims(job, moments)).toEqual([0, fiveMinutes - 2]);
	});

	test("a cron tick of every second is claimed every second", async () => {
		const job = newJob({ cron: "* * * * * *" });
		expect(await claims(job, [0, 1_000, 1_600, 2_001, 3_000])).toEqual([0, 1_000, 2_001, 3_000]);
	});

	test("a cron tick is claimed at its scheduled time by a process whose clock is minutes wrong", async () => {
		const job = newJob({ cron: "0 4 * * *" });
		const four = 16 * 3_600_000;
		const day = 24 * 3_600_000;
		const early = four - 10 * 60_000;
		expect(await claims(job, [early, four, four + 1_000, early + day, four + day])).toEqual([
			early,
			early + day,
		]);
	});

	for (const [schedule, aheadMs] of [
		[{ everyMs: 1_000 }, 3_600_000],
		[{ everyMs: 60_000 }, 365 * 86_400_000],
		[{ cron: "0 * * * *" }, 4 * 3_600_000],
	] as [Job["schedule"], number][]) {
		test(`a claim far ahead is taken over, and that is logged: ${JSON.stringify(schedule)}`, async () => {
			const job = newJob(schedule);
			expect(await claims(job, [aheadMs, 0, 1])).toEqual([aheadMs, 0]);
			expect(said).toEqual([[expect.any(String), { job: job.name, aheadMs: expect.any(Number) }]]);
		});
	}

	test("a claim up to two intervals ahead is kept", async () => {
		expect(await claims(newJob({ everyMs: 60_000 }), [119_000, 0, 60_000])).toEqual([119_000]);
		expect(said).toEqual([]);
	});
});

describe("runSchedules", () => {
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
		{
			time,
			...options
		}: { stopTimeoutMs?: number; time?: { nowMs: number }; isClockOff?: () => boolean } = {},
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

	test("each tick of a cluster job runs in one of several processes", async () => {
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

	for (const lock of ["cluster", "process"] as const) {
		test(`a process whose clock is wrong takes no ${lock} job, and others do`, async () => {
			const time = { nowMs: 1_700_000_000_000 };
			const ran: string[] = [];
			const looked = counter();
			let isOff = true;
			const name = `job.${++names}`;
			const jobOf = (who: string) => newJob({ name, lock, run: async () => void ran.push(who) });
			start([jobOf("wrong")], {
				time,
				isClockOff() {
					looked.up();
					return isOff;
				},
			});
			await looked.reaches(5);
			expect(ran).toEqual([]);
			const { asked } = start([jobOf("right"), newJob({ lock: "cluster", run: async () => {} })], {
				time,
			});
			while (!ran.includes("right")) await asked.reaches(asked.count() + 1);
			expect(new Set(ran)).toEqual(new Set(["right"]));
			isOff = false;
			time.nowMs += 1_000;
			if (lock === "cluster") return;
			while (!ran.includes("wrong")) await looked.reaches(looked.count() + 1);
		});
	}

	test("a process job runs in every process, at every tick", async () => {
		const runs = [counter(), counter()];
		for (const count of runs) start([newJob({ run: async () => count.up() })]);
		await Promise.all(runs.map((count) => count.reaches(3)));
	});

	/**
	 * How often another job of 2 ms runs while one run lasts: longer than the schedule's distance.
	 */
	const LASTING: [Job["schedule"], number][] = [
		[{ everyMs: 1 }, 20],
		[{ cron: "* * * * * *" }, 700],
	];

	for (const [schedule, others] of LASTING) {
		const text = JSON.stringify(schedule);
		test(`a job that takes longer than its interval does not overlap itself: ${text}`, async () => {
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

	test("a job that fails is reported as failed, and runs at its next tick", async () => {
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

	test("a job's signal aborts after its time limit, and that is logged", async () => {
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

	test("stopping aborts the current run, waits for it, and nothing runs afterwards", async () => {
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

	test("a job that ignores its signal is named in the log, and does not keep the process running", async () => {
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
});
