import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { LEARNED_KEPT_MS } from "#core/chain/rpc/budget/limits.ts";
import { sharedTimeline } from "#core/chain/rpc/budget/sharedTimeline.ts";
import type { Queryable } from "#core/db/Database.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("processes reserve an endpoint's time one after the other, whatever their clocks say", async () => {
	const [one, other] = [process(), process({ clockMs: 9e12 })];
	const began = [];
	for (let turn = 0; turn < 20; turn++) {
		const { timeline } = turn % 2 === 0 ? one : other;
		began.push((await timeline.reserve(100, 10)).inMs);
	}
	// 100 calls at 9.5 a second each: the n-th begins n times 10.5 s from now, minus the time passed.
	for (const [index, inMs] of began.entries()) {
		expect(inMs).toBeLessThanOrEqual(Math.min(index * 10_527, 60_000));
	}
	expect(began[1]).toBeGreaterThan(5_000);
	expect(began[3]).toBeGreaterThan(20_000);
});

test("at the same time as well: no two reservations overlap", async () => {
	const processes = Array.from({ length: 4 }, () => process());
	const reserved = await Promise.all(processes.map(({ timeline }) => timeline.reserve(95, 100)));
	const sorted = reserved.map(({ inMs }) => inMs).sort((a, b) => a - b);
	// Each takes a second; the server's clock advanced a little between them.
	for (const [index, inMs] of sorted.entries()) {
		const before = sorted[index - 1];
		if (before !== undefined) expect(inMs - before).toBeGreaterThan(500);
	}
});

test("endpoints do not share time, and only a hash of their names is stored", async () => {
	await process().timeline.reserve(500, 10);
	const { inMs } = await process({ name: "1 https://rpc.example/other" }).timeline.reserve(1, 10);
	expect(inMs).toBeLessThanOrEqual(0);
	const [text] = await database.db.query<{ all: string }>(
		`select string_agg(budget::text, ' ') as all from core.call_budget as budget`,
	);
	expect(text?.all).not.toContain("rpc.example");
});

test("what one process learned all others use; the newer one counts, and the setting is the maximum", async () => {
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

test("what was learned long ago counts no more", async () => {
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

test("a pause holds for all, and a time that a clock in the future wrote does not", async () => {
	const [one, other] = [process(), process()];
	one.timeline.note({ perSecond: 100, version: 1 }, 20_000);
	await noted(1);
	expect((await other.timeline.reserve(1, 100)).inMs).toBeGreaterThan(15_000);
	await database.db.execute("update core.call_budget set next_at = next_at + 86400000");
	expect((await other.timeline.reserve(1, 100)).inMs).toBeLessThanOrEqual(0);
});

test("without a database, and while it fails, each process has a quarter, and asks again later", async () => {
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
