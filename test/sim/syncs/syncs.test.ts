import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { DAY_MS, MINUTE_MS } from "#core/time.ts";
import { refreshBoundMs, syncBoundMs } from "#plugins/market-index/sync/bounds.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { openSyncRun, type SyncRunOptions } from "#test/sim/syncs/openSyncRun.ts";

// Guarantee: whatever the provider does, every collection is synced within the bound that we print,
// no page is read twice for it, and what is said to be held is held.

type Run = Awaited<ReturnType<typeof openSyncRun>>;

let database: TestDatabase;
let run: Run | undefined;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterEach(async () => {
	run?.stop();
	await run?.run(() => false, 1_000);
});
afterAll(() => database.drop());

/** Of so few pages one read anew weighs much; the bench holds a hundred collections to 1.1. */
const SPENT_TWICE_MAX = 1.3;
const BUSY = { salesPerDay: 1_100, listings: 450 };
const QUIET = { salesPerDay: 30, listings: 20 };
const PAGES_OF_BUSY = 6;
/** Two busy collections among ten. */
const TEN = Array.from({ length: 10 }, (_, at) => (at % 5 === 2 ? BUSY : QUIET));

async function open(options: Partial<SyncRunOptions> = {}): Promise<Run> {
	run = await openSyncRun(database.db, { collections: TEN, ...options });
	return run;
}

/** Lets time pass until all are synced; answers when each was, in ms from the start. */
async function untilSynced(run: Run, limitMs: number): Promise<number[]> {
	let states = await run.states();
	for (let passedMs = 0; passedMs < limitMs && states.some((one) => !one.syncedAt); ) {
		await run.run(() => false, MINUTE_MS / 4);
		passedMs += MINUTE_MS / 4;
		states = await run.states();
	}
	return states.map(({ syncedAt }) => (syncedAt?.getTime() ?? Number.NaN) - run.startMs);
}

/** What each collection is said to hold is there, and it is its whole last day. */
async function expectTruth(run: Run): Promise<void> {
	for (const [at, state] of (await run.states()).entries()) {
		const collection = run.collections[at];
		if (!collection || !state.eventsFrom || !state.eventsUntil) throw new Error(state.slug);
		const [fromMs, untilMs] = [state.eventsFrom.getTime(), state.eventsUntil.getTime()];
		expect(untilMs - fromMs).toBeGreaterThanOrEqual(DAY_MS);
		// The provider tells whole seconds.
		const sold = run.market.salesOf(collection, fromMs + 1_000, untilMs - 1_000);
		const merged = run.merged.get(state.id) ?? new Set();
		expect(sold.filter((hash) => !merged.has(hash))).toEqual([]);
		expect(sold.length).toBeGreaterThan(collection.salesPerDay * 0.98);
		expect(state.syncedAt).not.toBeNull();
		expect(state).toMatchObject({ floor: "500000000000000000" });
	}
}

/** Calls for first syncs that were answered, and the pages that they were of. */
function pagesOf(run: Run, path = /./) {
	const answered = run.market.calls.filter(
		(one) => one.status === 200 && !one.isRefresh && path.test(one.path),
	);
	return { calls: answered.length, distinct: new Set(answered.map(({ page }) => page)).size };
}

function eventCallsOf(run: Run): number {
	return run.market.calls.filter(({ path, status }) => status === 200 && /\/events\//.test(path))
		.length;
}

function expectWithinBound(run: Run, syncedMs: readonly number[], callsPerMinute: number): void {
	for (const [at, ms] of syncedMs.entries()) {
		const pages = run.collections[at]?.salesPerDay === BUSY.salesPerDay ? PAGES_OF_BUSY : 1;
		const bound = syncBoundMs({ collections: syncedMs.length, pages, callsPerMinute });
		expect(ms).toBeLessThanOrEqual(bound);
	}
}

test("every first sync ends within its time limit, at 1.1 calls a page, with all events of its day", async () => {
	const run = await open();
	const syncedMs = await untilSynced(run, 60 * MINUTE_MS);
	expectWithinBound(run, syncedMs, 100);
	const { calls, distinct } = pagesOf(run);
	expect(calls / distinct).toBeLessThanOrEqual(SPENT_TWICE_MAX);
	await expectTruth(run);
	expect(run.lines).toEqual([]);
});

test("while first days are read, every synced collection is updated within its time limit", async () => {
	const known = Array.from({ length: 8 }, () => QUIET);
	const run = await open({ collections: known });
	await untilSynced(run, 60 * MINUTE_MS);
	const begunMs = run.clock.nowMs();
	// More than five minutes have calls for.
	for (let more = 0; more < 60; more++) await run.register(BUSY);
	await run.run(() => false, 5 * MINUTE_MS);
	const states = await run.states();
	expect(states.some(({ syncedAt }) => syncedAt === null)).toBe(true);
	for (const { slug } of run.collections.slice(0, known.length)) {
		const path = `/api/v2/events/collection/${slug}`;
		const asked = run.market.calls.filter((one) => one.path === path && one.status === 200);
		const times = [begunMs, ...asked.map(({ atMs }) => atMs), run.clock.nowMs()];
		const waits = times.slice(1).map((ms, at) => ms - (times[at] ?? ms));
		const held = states.filter(({ eventsUntil }) => eventsUntil !== null).length;
		const bound = refreshBoundMs({ collections: held, callsPerMinute: 100 });
		expect(Math.max(...waits)).toBeLessThanOrEqual(bound);
	}
});

test("with a provider that needs 9 s an answer all collections sync in time, and few pages are read twice", async () => {
	const run = await open();
	run.market.settings.answerMs = 9_000;
	// Six are under way at a time: forty a minute.
	expectWithinBound(run, await untilSynced(run, 60 * MINUTE_MS), 40);
	const { calls, distinct } = pagesOf(run);
	expect(calls / distinct).toBeLessThanOrEqual(SPENT_TWICE_MAX);
	await expectTruth(run);
});

test("every collection is still synced with 20 provider calls a minute", async () => {
	const run = await open();
	run.market.settings.callsPerMinute = 20;
	expectWithinBound(run, await untilSynced(run, 60 * MINUTE_MS), 20);
	const { calls, distinct } = pagesOf(run);
	expect(calls / distinct).toBeLessThanOrEqual(SPENT_TWICE_MAX);
	await expectTruth(run);
	expect((await run.states()).every(({ failures }) => failures === 0)).toBe(true);
	// One line a minute tells of it, whatever it cost.
	const minutes = Math.ceil((run.clock.nowMs() - run.startMs) / MINUTE_MS);
	expect(run.lines.length).toBeLessThanOrEqual(minutes);
});

test("two processes on one database share the work: no page is read by both", async () => {
	const run = await open({ processes: 2 });
	expectWithinBound(run, await untilSynced(run, 60 * MINUTE_MS), 100);
	const events = pagesOf(run, /\/events\//);
	expect(events.distinct).toBeGreaterThanOrEqual(8 + 2 * PAGES_OF_BUSY);
	const { calls, distinct } = pagesOf(run);
	expect(calls / distinct).toBeLessThanOrEqual(SPENT_TWICE_MAX);
	await expectTruth(run);
});

test("the next process uses the pages of a process that ended in the middle", async () => {
	const run = await open();
	const stops = [12_000, 20_000, 45_000];
	for (const ms of stops) {
		await run.run(() => false, ms);
		run.restart();
	}
	await untilSynced(run, 60 * MINUTE_MS);
	const { calls, distinct } = pagesOf(run);
	// What was under way when one ended is asked for again: at most fifteen calls each time.
	expect(calls - distinct).toBeLessThanOrEqual(0.1 * distinct + 15 * stops.length);
	await expectTruth(run);
});

/** From 0 to 1, by a number, like chance: no rhythm of calls falls in step with it. */
function dice(number: number): number {
	let mixed = number + 1;
	mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
	mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
	return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** A provider that fails a third of all calls costs at most about so many times the time. */
const TROUBLE_COSTS_MAX = 3;

const TROUBLES: [string, (url: URL, calls: number) => Response | null][] = [
	[
		"forgets its cursors",
		(url) =>
			url.pathname.includes("/events/") && url.searchParams.has("next")
				? new Response('{"errors":["Invalid cursor"]}', { status: 400 })
				: null,
	],
	[
		"answers a third of all calls with a 500",
		(_url, calls) => (dice(calls) < 1 / 3 ? new Response("{}", { status: 500 }) : null),
	],
	[
		"answers a fifth of all calls with a page of HTML",
		(_url, calls) =>
			dice(calls) < 0.2
				? new Response("<html>", { headers: { "content-type": "text/html" } })
				: null,
	],
	[
		"cannot tell stats",
		(url) => (url.pathname.endsWith("/stats") ? Response.json({ total: "many" }) : null),
	],
];

for (const [what, instead] of TROUBLES) {
	test(`with a provider that ${what} syncs take longer, and stay correct`, async () => {
		const run = await open();
		run.market.settings.instead = instead;
		const of = { collections: TEN.length, pages: PAGES_OF_BUSY, callsPerMinute: 100 };
		await untilSynced(run, TROUBLE_COSTS_MAX * syncBoundMs(of));
		await expectTruth(run);
		const minutes = Math.ceil((run.clock.nowMs() - run.startMs) / MINUTE_MS);
		expect(run.lines.length).toBeLessThanOrEqual(2 * minutes);
	});
}

test("while the lanes are level an update of a synced collection costs one page in ten minutes", async () => {
	const run = await open({ heldUntil: (nowMs) => nowMs - 2_000 });
	await untilSynced(run, 60 * MINUTE_MS);
	await run.run(() => false, 5 * MINUTE_MS);
	const before = eventCallsOf(run);
	await run.run(() => false, 20 * MINUTE_MS);
	const perTen = (eventCallsOf(run) - before) / 2;
	expect(perTen).toBeLessThanOrEqual(TEN.length * 1.2);
	await expectTruth(run);
});
