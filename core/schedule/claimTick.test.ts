import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { claimTick } from "#core/schedule/claimTick.ts";
import type { Job } from "#core/schedule/Job.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("of processes that ask at once exactly one gets the tick", async () => {
	const job = newJob({ everyMs: 60_000 });
	const ask = () => Promise.all(Array.from({ length: 8 }, () => claim(job, NOON)));
	expect((await ask()).filter(Boolean)).toHaveLength(1);
	expect((await ask()).filter(Boolean)).toHaveLength(0);
});

test("an interval's rate is kept by processes whose timers are not in step", async () => {
	const job = newJob({ everyMs: 60_000 });
	// The second process is half a distance behind the first, and a little late.
	const moments = [0, 30_100, 60_000, 90_100, 120_000, 150_100, 180_000];
	expect(await claims(job, moments)).toEqual([0, 60_000, 120_000, 180_000]);
});

test("a timer that is a little early still gets its tick", async () => {
	expect(await claims(newJob({ everyMs: 1_000 }), [0, 990, 1_985])).toEqual([0, 990, 1_985]);
});

test("a cron tick is one tick however late a process comes to it", async () => {
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

test("a cron tick is claimed in its place by a process whose clock is minutes off", async () => {
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
	test(`a claim far ahead is taken over, and that is said: ${JSON.stringify(schedule)}`, async () => {
		const job = newJob(schedule);
		expect(await claims(job, [aheadMs, 0, 1])).toEqual([aheadMs, 0]);
		expect(said).toEqual([[expect.any(String), { job: job.name, aheadMs: expect.any(Number) }]]);
	});
}

test("a claim up to two distances ahead stands", async () => {
	expect(await claims(newJob({ everyMs: 60_000 }), [119_000, 0, 60_000])).toEqual([119_000]);
	expect(said).toEqual([]);
});
