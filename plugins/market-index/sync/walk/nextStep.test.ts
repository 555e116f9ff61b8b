import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROVIDER_PAGE } from "#plugins/market-index/pace.ts";
import { WALK_IDLE_MAX } from "#plugins/market-index/sync/bounds.ts";
import {
	createEventList,
	type ListTrouble,
} from "#plugins/market-index/sync/testing/createEventList.ts";
import {
	nextStep,
	restMs,
	type Step,
	type Walk,
} from "#plugins/market-index/sync/walk/nextStep.ts";

describe("nextStep", () => {
	// Guarantee: whatever a list does, a walk never says that it holds what it was not told.

	const FROM_MS = 10_000_000;
	const UNTIL_MS = FROM_MS + 86_400_000;
	const begun: Walk = {
		fromMs: FROM_MS,
		untilMs: UNTIL_MS,
		topMs: null,
		holeMs: null,
		reachedMs: UNTIL_MS,
		cursor: null,
		pages: 0,
		idle: 0,
	};

	type Walked = { end: Step; pages: number; told: Set<number>; checks: [number, boolean][] };

	/** Walks a list as turns do, and hears after each page what is said to be held. */
	function walkAll(
		list: ReturnType<typeof createEventList>,
		meanwhile: (page: number) => void = () => {},
	): Walked {
		const told = new Set<number>();
		let end: Step = { kind: "more", walk: begun };
		let pages = 0;
		const checks: [number, boolean][] = [];
		while (end.kind === "more") {
			const { walk } = end;
			const isByTime = walk.cursor === null && walk.reachedMs < walk.untilMs;
			const page = list.page({
				afterMs: walk.fromMs,
				...(walk.cursor !== null && { cursor: walk.cursor }),
				...(isByTime && { beforeMs: walk.reachedMs + 1_000 }),
			});
			for (const timeMs of page.timesMs) told.add(timeMs);
			const topMs = pages === 0 ? Math.max(...page.timesMs, 0) : walk.topMs;
			end = nextStep({ ...walk, topMs }, page);
			pages++;
			const heldFromMs = end.kind === "done" ? FROM_MS : end.walk.reachedMs;
			const lacking = list
				.timesMs()
				.filter((timeMs) => timeMs >= heldFromMs && timeMs <= UNTIL_MS && !told.has(timeMs));
			// A tenth of a page may still be to come at the very time that was reached.
			checks.push([heldFromMs, lacking.every((timeMs) => timeMs === heldFromMs)]);
			meanwhile(pages);
		}
		return { end, pages, told, checks };
	}

	/** Events of a day, a second apart at least, of which each has a time of its own. */
	function fill(list: ReturnType<typeof createEventList>, count: number): void {
		const stepMs = Math.floor((UNTIL_MS - FROM_MS) / (count + 1));
		for (let index = 1; index <= count; index++) list.add(FROM_MS + index * stepMs);
	}

	test("a day of 3,000 events needs fifteen pages, and an empty day one", () => {
		const list = createEventList({ pageSize: PROVIDER_PAGE });
		expect(walkAll(list)).toMatchObject({ pages: 1, end: { kind: "done" } });
		fill(list, 2_990);
		const walked = walkAll(list);
		expect(walked).toMatchObject({ pages: 15, end: { kind: "done" } });
		expect(walked.told.size).toBe(2_990);
	});

	const TROUBLES: [string, ListTrouble, number][] = [
		["cursors that lead to the top again", { forgetsCursors: true }, 40],
		["pages that name no next one", { losesNext: true }, 20],
		["pages that come twice", { repeats: 1 }, 31],
		["empty pages between others", { empties: 2 }, 46],
		["an event of another year at the end of each page", { oddTimeMs: 1_000 }, 16],
		["an event of this morning at the end of each page", { oddTimeMs: FROM_MS + 1 }, 16],
		["an event of tomorrow at the end of each page", { oddTimeMs: UNTIL_MS * 2 }, 16],
	];

	for (const [name, trouble, pagesMax] of TROUBLES) {
		test(`${name} leave no event out, and cost few pages`, () => {
			const list = createEventList({ pageSize: PROVIDER_PAGE });
			fill(list, 2_990);
			list.trouble = trouble;
			const walked = walkAll(list);
			expect(walked.end.kind).toBe("done");
			for (const timeMs of list.timesMs()) expect(walked.told.has(timeMs)).toBe(true);
			expect(walked.checks.every(([, holds]) => holds)).toBe(true);
			expect(walked.pages).toBeLessThanOrEqual(pagesMax);
		});
	}

	test("many events of one second are read by cursors, of which none is abandoned", () => {
		const list = createEventList({ pageSize: PROVIDER_PAGE });
		fill(list, 500);
		const atMs = FROM_MS + 40_000_000;
		const crowd = new Set<number>();
		for (let event = 0; event < 3_000; event++) {
			// A time of its own for each, so that the test can tell them apart; to lists it is one.
			crowd.add(atMs + event / 10_000);
			list.add(atMs + event / 10_000);
		}
		const told = new Set<number>();
		let step: Step = { kind: "more", walk: begun };
		let pages = 0;
		while (step.kind === "more") {
			const { walk }: Step = step;
			const isByTime = walk.cursor === null && walk.reachedMs < walk.untilMs;
			const page = list.page({
				afterMs: walk.fromMs,
				...(walk.cursor !== null && { cursor: walk.cursor }),
				...(isByTime && { beforeMs: walk.reachedMs + 1_000 }),
			});
			for (const timeMs of page.timesMs) told.add(timeMs);
			const timesMs = page.timesMs.map(Math.floor);
			step = nextStep({ ...walk, topMs: UNTIL_MS }, { timesMs, next: page.next });
			pages++;
		}
		expect(step.kind).toBe("done");
		for (const timeMs of crowd) expect(told.has(timeMs)).toBe(true);
		expect(pages).toBeLessThanOrEqual(19);
	});

	test("a full page with unreadable rows counts as full", () => {
		const timesMs = Array.from({ length: PROVIDER_PAGE - 3 }, (_, at) => UNTIL_MS - at * 1_000);
		const step = nextStep(begun, { timesMs, next: null, unreadable: 3 });
		expect(step).toMatchObject({ kind: "more", walk: { cursor: null } });
		expect(step.walk.reachedMs).toBeGreaterThan(FROM_MS);
	});

	test("a page that breaks off does not count as the list's end: the walk continues by time", () => {
		const timesMs = [UNTIL_MS - 1_000, UNTIL_MS - 2_000];
		const before = { ...begun, cursor: "same", reachedMs: UNTIL_MS - 500 };
		const step = nextStep(before, { timesMs, next: null, isBroken: true });
		expect(step).toMatchObject({ kind: "more", walk: { cursor: null } });
		expect(step.walk.reachedMs).toBeGreaterThan(FROM_MS);
		expect(nextStep(before, { timesMs, next: null })).toMatchObject({ kind: "done" });
	});

	test("an unreadable row is a hole: the time above it is covered, and the walk continues", () => {
		const timesMs = [UNTIL_MS - 1_000, UNTIL_MS - 9_000];
		const hole = (unreadableAtMs?: (number | null)[]) =>
			nextStep(begun, { timesMs, next: null, unreadable: 1, unreadableAtMs }).walk.holeMs;
		expect(hole([UNTIL_MS - 5_000])).toBe(UNTIL_MS - 5_000);
		// Without its time it may be the newest of its page.
		expect(hole([null])).toBe(UNTIL_MS);
		expect(hole()).toBe(UNTIL_MS);
		// Of a time that nobody asked for it says nothing.
		expect(hole([FROM_MS - 1])).toBeNull();
		const below = { ...begun, holeMs: UNTIL_MS - 5_000, reachedMs: UNTIL_MS - 9_000, cursor: "b" };
		const step = nextStep(below, { timesMs: [UNTIL_MS - 20_000], next: null });
		expect(step).toMatchObject({ kind: "done", walk: { holeMs: UNTIL_MS - 5_000 } });
	});

	test("a walk of an endless list stops, and nothing counts as covered", () => {
		let step: Step = { kind: "more", walk: begun };
		let pages = 0;
		while (step.kind === "more") step = nextStep(step.walk, { timesMs: [], next: String(++pages) });
		expect(step).toMatchObject({ kind: "stuck", walk: { reachedMs: UNTIL_MS } });
		expect(pages).toBe(WALK_IDLE_MAX);
	});

	test("a page with its oldest event first covers nothing", () => {
		const timesMs = Array.from({ length: 200 }, (_, index) => FROM_MS + index * 400_000);
		const step = nextStep(begun, { timesMs, next: "more" });
		expect(step).toMatchObject({ kind: "more", walk: { reachedMs: UNTIL_MS, idle: 1 } });
	});

	test("all events of the time that counts as covered were read, whatever the list does", () => {
		const trouble = fc.record(
			{
				forgetsCursors: fc.boolean(),
				losesNext: fc.boolean(),
				repeats: fc.integer({ min: 0, max: 4 }),
				empties: fc.integer({ min: 0, max: 4 }),
				oddTimeMs: fc.integer({ min: 0, max: UNTIL_MS * 2 }),
			},
			{ requiredKeys: [] },
		);
		const count = fc.integer({ min: 0, max: 900 });
		fc.assert(
			fc.property(count, trouble, fc.integer({ min: 0, max: 30 }), (events, broken, fresh) => {
				const list = createEventList({ pageSize: PROVIDER_PAGE });
				fill(list, events);
				list.trouble = broken;
				const walked = walkAll(list, (page) => {
					for (let one = 0; one < fresh; one++) list.add(UNTIL_MS + page * 1_000 + one);
				});
				expect(walked.checks.filter(([, holds]) => !holds)).toEqual([]);
				if (walked.end.kind === "done") {
					const missing = list.timesMs().filter((ms) => ms <= UNTIL_MS && !walked.told.has(ms));
					expect(missing).toEqual([]);
				}
			}),
			{ numRuns: 60 },
		);
	});
});

describe("restMs", () => {
	test("a walk pauses twice as long after each unreadable page, up to half an hour", () => {
		expect([0, 1, 2, 3, 7, 99].map(restMs)).toEqual([
			18_000, 36_000, 72_000, 144_000, 1_800_000, 1_800_000,
		]);
	});
});
