import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRateLearner, LEARNED_KEPT_MS, sharedTimeline } from "#core/chain/rpc/timelines.ts";
import type { Queryable } from "#core/db/Database.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createRateLearner", () => {
	const START_MS = 1_000_000;

	/**
	 * Simulates a node with this limit, asked at the learner's rate; returns refusals and answers.
	 */
	function play(allowed: number, seconds: number, perSecondMax: number | null = null) {
		const learner = createRateLearner(perSecondMax);
		const history: { rate: number; refused: boolean }[] = [];
		for (let second = 0; second < seconds; second++) {
			const nowMs = START_MS + second * 1_000;
			const rate = learner.perSecond(nowMs) ?? 5_000;
			const refused = rate > allowed;
			if (refused) learner.refused(nowMs, { sent: rate, answered: allowed });
			else learner.wasBusy(nowMs);
			history.push({ rate, refused });
		}
		return history;
	}

	test("calls are unlimited before the first refusal, and limited from the start by a set rate", () => {
		expect(createRateLearner(null).perSecond(START_MS)).toBeNull();
		expect(createRateLearner(100).perSecond(START_MS)).toBe(100);
	});

	test("any limit of a node is found within seconds, used to three quarters, and seldom exceeded", () => {
		fc.assert(
			fc.property(fc.integer({ min: 5, max: 3_000 }), (allowed) => {
				const steady = play(allowed, 900).slice(300);
				const used = steady.reduce((sum, { rate, refused }) => sum + (refused ? 0 : rate), 0);
				expect(used / steady.length).toBeGreaterThan(0.75 * allowed);
				expect(steady.filter(({ refused }) => refused).length).toBeLessThan(20);
			}),
		);
	});

	test("a rate that the operator set is never exceeded, whatever the node allows", () => {
		for (const { rate } of play(40, 300, 100).slice(1)) expect(rate).toBeLessThanOrEqual(100);
		for (const { rate } of play(10_000, 300, 100)) expect(rate).toBe(100);
	});

	test("refusals within one second count once, and the rate never falls below one call a second", () => {
		const learner = createRateLearner(null);
		expect(learner.refused(START_MS, { sent: 400, answered: 0 })).toBe(true);
		expect(learner.perSecond(START_MS)).toBe(200);
		expect(learner.refused(START_MS + 500, { sent: 400, answered: 0 })).toBe(false);
		expect(learner.perSecond(START_MS)).toBe(200);
		for (let second = 2; second < 60; second++) {
			learner.refused(START_MS + second * 1_000, { sent: 1, answered: 0 });
		}
		expect(learner.perSecond(START_MS + 60_000)).toBe(1);
	});

	test("after half a minute of refusals a node has its rate again within about a minute", () => {
		const learner = createRateLearner(null);
		for (let second = 0; second < 30; second++) {
			learner.refused(START_MS + second * 1_000, { sent: 100, answered: 0 });
		}
		let nowMs = START_MS + 30_000;
		for (let second = 0; second < 75; second++) {
			nowMs += 1_000;
			learner.wasBusy(nowMs);
		}
		expect(learner.perSecond(nowMs)).toBeGreaterThan(100);
	});

	test("a refusal after very few calls does not set the rate that low", () => {
		const learner = createRateLearner(null);
		learner.refused(START_MS, { sent: 1, answered: 0 });
		expect(learner.perSecond(START_MS)).toBe(10);
	});

	test("a learned rate is forgotten after a long time without a refusal", () => {
		const learner = createRateLearner(null);
		learner.refused(START_MS, { sent: 100, answered: 50 });
		expect(learner.perSecond(START_MS + LEARNED_KEPT_MS)).toBe(50);
		expect(learner.perSecond(START_MS + LEARNED_KEPT_MS + 1)).toBeNull();
	});

	test("a rate that another process learned is adopted if it is newer, limited by the configured one", () => {
		const learner = createRateLearner(80);
		learner.adopt({ perSecond: 40, version: 3 }, START_MS);
		expect([learner.perSecond(START_MS), learner.version()]).toEqual([40, 3]);
		learner.adopt({ perSecond: 70, version: 2 }, START_MS);
		expect(learner.perSecond(START_MS)).toBe(40);
		learner.adopt({ perSecond: 500, version: 4 }, START_MS);
		expect(learner.perSecond(START_MS)).toBe(80);
	});
});

describe("sharedTimeline", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	beforeEach(() => database.db.execute("truncate core.call_budget"));
	afterAll(() => database.drop());

	/** Makes a process, whose own clock may be wrong. */
	function process(options: { name?: string; db?: () => Queryable | null; clockMs?: number } = {}) {
		const { name = "1 https://rpc.example/key", db = () => database.db, clockMs = 1_000 } = options;
		const time = { nowMs: clockMs };
		return { time, timeline: sharedTimeline({ db, name, clock: { nowMs: () => time.nowMs } }) };
	}

	const row = async () => {
		const [found] = await database.db.query<{
			per_second: number | null;
			version: number | null;
			ahead_ms: number;
		}>(
			`select per_second, version,
			next_at - extract(epoch from clock_timestamp())::float8 * 1000 as ahead_ms
		from core.call_budget`,
		);
		return found;
	};
	/** Waits for a note, which is sent without waiting for it. */
	const noted = async (version: number) => {
		while ((await row())?.version !== version);
	};

	test("processes reserve an endpoint's time one after the other, however wrong their clocks are", async () => {
		const [one, other] = [process(), process({ clockMs: 9e12 })];
		const began = [];
		for (let turn = 0; turn < 20; turn++) {
			const { timeline } = turn % 2 === 0 ? one : other;
			began.push((await timeline.reserve(100, 10)).inMs);
		}
		// 100 calls at 9.5 a second each: the n-th begins n times 10.5 s from now, minus the time
		// passed.
		for (const [index, inMs] of began.entries()) {
			expect(inMs).toBeLessThanOrEqual(Math.min(index * 10_527, 60_000));
		}
		expect(began[1]).toBeGreaterThan(5_000);
		expect(began[3]).toBeGreaterThan(20_000);
	});

	test("concurrent reservations of processes never overlap", async () => {
		const processes = Array.from({ length: 4 }, () => process());
		const reserved = await Promise.all(processes.map(({ timeline }) => timeline.reserve(95, 100)));
		const sorted = reserved.map(({ inMs }) => inMs).sort((a, b) => a - b);
		// Each takes a second; the server's clock advanced a little between them.
		for (const [index, inMs] of sorted.entries()) {
			const before = sorted[index - 1];
			if (before !== undefined) expect(inMs - before).toBeGreaterThan(500);
		}
	});

	test("endpoints share no time, and only a hash of their names is stored", async () => {
		await process().timeline.reserve(500, 10);
		const { inMs } = await process({ name: "1 https://rpc.example/other" }).timeline.reserve(1, 10);
		expect(inMs).toBeLessThanOrEqual(0);
		const [text] = await database.db.query<{ all: string }>(
			`select string_agg(budget::text, ' ') as all from core.call_budget as budget`,
		);
		expect(text?.all).not.toContain("rpc.example");
	});

	test("a learned rate is shared by all processes; the newer one counts, up to the set rate", async () => {
		const [one, other] = [process(), process()];
		one.timeline.note({ perSecond: 40, version: 2 }, 0);
		await noted(2);
		expect(await other.timeline.reserve(1, 100)).toMatchObject({
			perSecond: 40,
			learned: { perSecond: 40, version: 2 },
		});
		expect(await other.timeline.reserve(1, 25)).toMatchObject({ perSecond: 25 });
		other.timeline.note({ perSecond: 90, version: 1 }, 0);
		one.timeline.note({ perSecond: 44, version: 3 }, 0);
		await noted(3);
		expect(await other.timeline.reserve(1, 100)).toMatchObject({ perSecond: 44 });
	});

	test("a rate that was learned long ago is ignored", async () => {
		const { timeline } = process();
		timeline.note({ perSecond: 40, version: 7 }, 0);
		await noted(7);
		await database.db.execute("update core.call_budget set learned_at = learned_at - $1::float8", [
			LEARNED_KEPT_MS + 1_000,
		]);
		expect(await timeline.reserve(1, 100)).toMatchObject({ perSecond: 100, learned: null });
		process().timeline.note({ perSecond: 50, version: 1 }, 0);
		await noted(1);
	});

	test("a pause applies to all processes, but not one written by a clock in the future", async () => {
		const [one, other] = [process(), process()];
		one.timeline.note({ perSecond: 100, version: 1 }, 20_000);
		await noted(1);
		expect((await other.timeline.reserve(1, 100)).inMs).toBeGreaterThan(15_000);
		await database.db.execute("update core.call_budget set next_at = next_at + 86400000");
		expect((await other.timeline.reserve(1, 100)).inMs).toBeLessThanOrEqual(0);
	});

	test("each process gets a quarter while the database fails, and asks the database again later", async () => {
		let isAway = true;
		let asked = 0;
		const broken: Queryable = {
			query(text, values) {
				asked++;
				return isAway ? Promise.reject(new Error("away")) : database.db.query(text, values);
			},
			execute: () => Promise.reject(new Error("away")),
		};
		const { timeline, time } = process({ db: () => broken });
		expect(await timeline.reserve(1, 100)).toMatchObject({ perSecond: 25, learned: null });
		isAway = false;
		expect(await timeline.reserve(1, 100)).toMatchObject({ perSecond: 25 });
		expect(asked).toBe(1);
		time.nowMs += 5_000;
		expect(await timeline.reserve(1, 100)).toMatchObject({ perSecond: 100 });
		const none = process({ db: () => null });
		none.timeline.note({ perSecond: 10, version: 1 }, 1_000);
		expect(await none.timeline.reserve(1, 100)).toMatchObject({ perSecond: 25, inMs: 1_000 });
	});
});
