import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createMetrics } from "#core/metrics.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { createReadBudget, createWindows, forecastOf } from "#plugins/social/budgets.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what X bills is counted as X bills it, for all processes together, and never passes
// the month's budget; and operators see beforehand when it ends.

const NOON_MS = Date.UTC(2026, 10, 10, 12);
let nowMs = NOON_MS;
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	nowMs = NOON_MS;
	await database.db.execute("truncate social.read_month, social.read_day, social.read_item");
});

function open(readsMax = 10_000) {
	const metrics = createMetrics();
	const clock = { nowMs: () => nowMs };
	const reads = createReadBudget({ db: database.db, clock, metrics }, readsMax);
	const spend = (atMost: number, items: readonly string[]) =>
		reads.spend(atMost, async (used) => used(items));
	return { reads, spend, metrics };
}

const texts = (from: number, count: number) =>
	Array.from({ length: count }, (_, n) => `dm:${from + n}`);

test("an item is counted once for each UTC day, whichever process reads it", async () => {
	const [one, other] = [open(), open()];
	for (let n = 0; n < 20; n++) await (n % 2 ? one : other).spend(5, texts(1, 5));
	expect(await one.reads.state()).toMatchObject({ month: "2026-11", reads: 5 });
	await Promise.all([one.spend(5, texts(4, 5)), other.spend(5, texts(4, 5))]);
	expect((await one.reads.state()).reads).toBe(8);
	nowMs += DAY_MS;
	await one.spend(5, texts(1, 5));
	expect((await one.reads.state()).reads).toBe(13);
});

test("authors are counted, and an answer with more items than requested is counted in full", async () => {
	const { reads, spend } = open();
	await spend(2, ["post:1", "user:7", "post:2", "user:7", "user:8"]);
	await reads.note(["user:7", "user:9"]);
	expect((await reads.state()).reads).toBe(5);
});

test("a lost answer is counted in full, and a request that X refused is not counted", async () => {
	const { reads } = open();
	const fails = (fault: Error) => reads.spend(10, () => Promise.reject(fault)).catch(() => {});
	await fails(socialFault.refused());
	await fails(socialFault.limited());
	expect((await reads.state()).reads).toBe(0);
	await fails(socialFault.unavailable());
	expect((await reads.state()).reads).toBe(10);
});

test("several processes at once stay within the month's budget", async () => {
	const budgets = Array.from({ length: 8 }, () => open(100));
	const results = await Promise.allSettled(
		budgets.flatMap(({ spend }, n) =>
			Array.from({ length: 5 }, (_, k) => spend(5, texts(n * 100 + k * 5, 5))),
		),
	);
	expect(results.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(20);
	expect((await open(100).reads.state()).reads).toBeLessThanOrEqual(100);
	await expect(open(4).spend(5, [])).rejects.toThrow("used up");
});

test("the forecast gives the day on which the budget ends, and the metrics export it", async () => {
	const { reads, spend, metrics } = open(1_000);
	expect(forecastOf(await reads.state())).toContain("until the month ends");
	for (let n = 0; n < 10; n++) {
		await spend(10, texts(n * 10, 10));
		nowMs += HOUR_MS;
	}
	// 100 in ten hours: 900 more take 90.
	const state = await reads.state();
	expect(state.endsAt?.toISOString()).toBe("2026-11-14T16:00:00.000Z");
	expect(forecastOf(state)).toBe("At this rate the budget ends on 2026-11-14.");
	expect((await metrics.expose()).body).toMatch(/social_reads_left(?:{})? 900$/m);
	await database.db.execute("update social.read_month set reads = 1000");
	expect(forecastOf(await reads.state())).toContain("used up");
});

test("if X names only the end of its limit, sending continues from then on", () => {
	const windows = createWindows({ nowMs: () => nowMs });
	windows.take("dm", 1);
	windows.answered("dm", null, nowMs + 2 * MINUTE_MS);
	expect(windows.room("dm").urgent).toBe(0);
	nowMs += 2 * MINUTE_MS;
	expect(windows.room("dm").urgent).toBe(15);
	// What was taken and not said is given back.
	windows.take("dm", 4);
	windows.giveBack("dm");
	expect(windows.room("dm").urgent).toBe(12);
});

test("a month of polling every two minutes, with twenty new messages a day, stays within the budget", async () => {
	const { reads, spend } = open();
	// A tenth of a month stands for it: the days are alike.
	let newest = 100;
	for (let day = 0; day < 3; day++) {
		for (let at = 0; at < DAY_MS; at += 10 * MINUTE_MS) {
			nowMs += 10 * MINUTE_MS;
			if (at % HOUR_MS === 0 && at / HOUR_MS < 20) newest += 1;
			await spend(5, texts(newest - 4, 5));
		}
	}
	const { reads: counted, endsAt } = await reads.state();
	expect(counted).toBeLessThanOrEqual(4 * (20 + 5));
	expect(endsAt).toBeNull();
});
