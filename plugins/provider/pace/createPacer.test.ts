import { describe, expect, test } from "bun:test";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import type { Fault } from "#core/fault.ts";
import type { Turn } from "#plugins/provider/pace/createCallQueue.ts";
import { createBlocks, createPacer } from "#plugins/provider/pace/createPacer.ts";

const request: Turn = { bucket: "read", purpose: "request" };
const background: Turn = { bucket: "read", purpose: "background" };
const endless: Turn = { bucket: "read", purpose: "endless" };
const view: Turn = { bucket: "read", purpose: "view" };
const search: Turn = { bucket: "read", purpose: "search" };

/** Makes a pacer with a clock that moves only where the pacer waits. */
function lab(processes = 1) {
	const time = { nowMs: 1_000_000 };
	const clock = { nowMs: () => time.nowMs };
	const budget = inProcessBudget({ clock });
	const blocks = createBlocks(clock);
	const wait = async (ms: number, signal?: AbortSignal) => {
		expect(ms).toBeGreaterThan(0);
		for (let tick = 0; tick < 10; tick++) await Promise.resolve();
		if (!signal?.aborted) time.nowMs += ms;
	};
	const pacers = Array.from({ length: processes }, () =>
		createPacer({ budgetName: "key", budget, blocks, clock, wait }),
	);
	const [pacer = pacers[0]] = pacers;
	if (!pacer) throw new Error("no pacer");
	/** Takes a turn and gives it back at once. */
	const pass = async (turn: Turn, by = pacer) => {
		const release = await by.turn(turn);
		const atMs = time.nowMs;
		release();
		return atMs;
	};
	const outcome = (turn: Turn) =>
		pass(turn).then(
			() => "begun",
			(fault: Fault) => `${fault.code} ${fault.members.retryAfterMs ?? ""}`.trim(),
		);
	return { time, blocks, pacer, pacers, pass, outcome };
}

describe("pace", () => {
	test("[MRG-08] calls of a process begin at least 250 ms apart", async () => {
		const { pass, time } = lab();
		const from = time.nowMs;
		const begun = await Promise.all([pass(request), pass(request), pass(background)]);
		expect(begun.map((atMs) => atMs - from)).toEqual([0, 250, 500]);
	});

	test("a clock that is set back blocks no call", async () => {
		const { pass, time } = lab();
		await pass(request);
		time.nowMs -= 3_600_000;
		const from = time.nowMs;
		expect((await pass(request)) - from).toBe(0);
	});

	test("[MRG-08] calls for clients are sent before those of the background", async () => {
		const { pacer } = lab();
		const order: string[] = [];
		const turn = async (name: string, what: Turn) => {
			const release = await pacer.turn(what);
			order.push(name);
			release();
		};
		await Promise.all([
			turn("b1", background),
			turn("b2", background),
			turn("r1", request),
			turn("b3", background),
			turn("s1", search),
			turn("v1", view),
			turn("r2", request),
		]);
		// The first had begun before any other came.
		expect(order).toEqual(["b1", "r1", "r2", "v1", "s1", "b2", "b3"]);
	});

	test("[MRG-11] an endless series of calls alternates with the rest of the background", async () => {
		const { pacer } = lab();
		const order: string[] = [];
		const turn = async (name: string, what: Turn) => {
			const release = await pacer.turn(what);
			order.push(name);
			release();
		};
		await Promise.all([
			...["e1", "e2", "e3", "e4"].map((name) => turn(name, endless)),
			turn("b1", background),
			turn("b2", background),
			turn("r1", request),
		]);
		// The first had begun before any other came.
		expect(order).toEqual(["e1", "r1", "b1", "e2", "b2", "e3", "e4"]);
	});
});

describe("the shared minute", () => {
	test("[MRG-08] 120 calls a minute are sent with the key, by all processes together", async () => {
		const { pacers, pass, time } = lab(4);
		const from = time.nowMs;
		const begun: number[] = [];
		for (let round = 0; round < 30; round++) {
			const turn = round < 13 ? background : request;
			for (const pacer of pacers) begun.push(await pass(turn, pacer));
		}
		expect(begun).toHaveLength(120);
		time.nowMs = from + 59_000;
		const [last = 0] = [await pass(request, pacers[0])];
		expect(last - from).toBeGreaterThanOrEqual(60_000);
	});

	test("[MRG-08] the background is refused at once when 20 calls are left, and requests are still sent", async () => {
		const { outcome, pass, time } = lab();
		const from = time.nowMs;
		for (let turn = 0; turn < 45; turn++) await pass(request);
		for (let turn = 0; turn < 55; turn++) await pass(background);
		const atMs = time.nowMs;
		expect(await outcome(background)).toMatch(/^rate_limited \d+$/);
		// It waited for no more than its place in the pace.
		expect(time.nowMs - atMs).toBeLessThanOrEqual(250);
		for (let turn = 0; turn < 20; turn++) expect(await outcome(request)).toBe("begun");
		expect(time.nowMs - from).toBeLessThan(60_000);
	});

	test("30 calls of the minute are reserved for the background, however many clients ask", async () => {
		const { outcome } = lab();
		const begun = async (turn: Turn, times: number) => {
			const told = [];
			for (let time = 0; time < times; time++) told.push(await outcome(turn));
			return told.filter((one) => one === "begun").length;
		};
		expect(await begun(search, 20)).toBe(15);
		expect(await begun(view, 45)).toBe(40);
		expect(await begun(request, 16)).toBe(15);
		expect(await begun(background, 31)).toBe(30);
	});

	test("a search above its limit is refused at once, and delays no other call", async () => {
		const { outcome, time } = lab();
		for (let turn = 0; turn < 15; turn++) await outcome(search);
		const from = time.nowMs;
		expect(await outcome(search)).toMatch(/^rate_limited \d+$/);
		expect(await outcome(view)).toBe("begun");
		expect(time.nowMs - from).toBeLessThanOrEqual(250);
	});

	test("[MRG-08] a request that waits briefly for the next minute delays no other call", async () => {
		const { outcome, pass, time } = lab();
		const from = time.nowMs;
		for (let turn = 0; turn < 70; turn++) await pass(request);
		time.nowMs = from + 58_000;
		const waits = outcome(request);
		expect(await outcome(background)).toBe("begun");
		expect(time.nowMs - from).toBeLessThan(58_500);
		expect(await waits).toBe("begun");
		expect(time.nowMs - from).toBeGreaterThanOrEqual(60_000);
		expect(time.nowMs - from).toBeLessThan(61_000);
	});

	test("[MRG-11] the background and an endless series cannot use up each other's share", async () => {
		for (const [one, most, other, least] of [
			[background, 60, endless, 40],
			[endless, 50, background, 50],
		] as const) {
			const { outcome, pass } = lab();
			for (let turn = 0; turn < most; turn++) await pass(one);
			expect(await outcome(one)).toMatch(/^rate_limited \d+$/);
			for (let turn = 0; turn < least; turn++) expect(await outcome(other)).toBe("begun");
			expect(await outcome(other)).toMatch(/^rate_limited \d+$/);
			expect(await outcome(request)).toBe("begun");
		}
	});

	test("[MRG-08] a request that would wait longer than 3 s is refused with the wait", async () => {
		const { outcome, pass, time } = lab();
		for (let turn = 0; turn < 70; turn++) await pass(request);
		const atMs = time.nowMs;
		const told = await outcome(request);
		expect(told).toMatch(/^rate_limited \d+$/);
		expect(Number(told.split(" ")[1])).toBeGreaterThan(3_000);
		expect(time.nowMs - atMs).toBeLessThanOrEqual(250);
	});
});

describe("blocks", () => {
	test("[MRG-08] a rate limit of 3 s is waited for, a longer one is returned at once", async () => {
		const { outcome, blocks, time } = lab();
		blocks.refuse("read", 3_000);
		const from = time.nowMs;
		expect(await outcome(request)).toBe("begun");
		expect(time.nowMs - from).toBe(3_000);
		blocks.refuse("read", 3_001);
		expect(await outcome(request)).toBe("rate_limited 3001");
		expect(await outcome(background)).toBe("rate_limited 3001");
	});

	test("reads continue while orders to fill are rate-limited", async () => {
		const { outcome, blocks, time } = lab();
		blocks.refuse("fulfilment", 2_000);
		const from = time.nowMs;
		const both = [outcome({ ...request, bucket: "fulfilment" }), outcome(request)];
		expect(await both[1]).toBe("begun");
		expect(time.nowMs - from).toBe(0);
		expect(await both[0]).toBe("begun");
	});

	test("each consecutive refusal without a retry time doubles the wait, up to a minute", async () => {
		const { blocks, time } = lab();
		const lengths: number[] = [];
		for (let turn = 0; turn < 8; turn++) {
			lengths.push(blocks.refuse("read", null));
			// Two that were under way together count as one.
			blocks.refuse("read", null);
			time.nowMs += 70_000;
		}
		expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
		blocks.pass("read", null);
		expect(blocks.refuse("read", null)).toBe(1_000);
	});

	test("a clock that is set back does not extend a block by hours", () => {
		const { blocks, time } = lab();
		blocks.refuse("read", 1_000);
		time.nowMs -= 3_600_000;
		expect(blocks.leftMs("read")).toBe(1_000);
	});
});

describe("the queue", () => {
	test("the queue is bounded: the background is refused, and loses its place to requests", async () => {
		const { outcome } = lab();
		const waiting = Array.from({ length: 41 }, () => outcome(background));
		const [late, first] = [outcome(background), outcome(request)];
		const outcomes = await Promise.all(waiting);
		expect(await late).toMatch(/^rate_limited/);
		expect(await first).toBe("begun");
		expect(outcomes.filter((told) => told.startsWith("rate_limited"))).toHaveLength(2);
	});

	test("pages and searches take no place of other calls, and pages are sent before searches", async () => {
		const { outcome } = lab();
		const begun = (told: string[]) => told.filter((one) => one === "begun").length;
		const waiting = Array.from({ length: 12 }, () => outcome(background));
		const searches = Array.from({ length: 40 }, () => outcome(search));
		const views = Array.from({ length: 5 }, () => outcome(view));
		expect(begun(await Promise.all(views))).toBe(5);
		// Five of 24 places went to the pages, and the share of a minute is 15.
		expect(begun(await Promise.all(searches))).toBe(15);
		expect(begun(await Promise.all(waiting))).toBe(12);
	});

	test("a full queue of requests refuses one more", async () => {
		const { outcome } = lab();
		const told = await Promise.all(Array.from({ length: 41 }, () => outcome(request)));
		expect(told.filter((one) => one === "begun")).toHaveLength(40);
	});

	test("an aborted call leaves the queue, and delays no other call", async () => {
		const { pacer, outcome, time, blocks } = lab();
		blocks.refuse("read", 2_000);
		const giving = new AbortController();
		const given = pacer.turn({ ...request, signal: giving.signal });
		giving.abort();
		await expect(given).rejects.toMatchObject({ code: "provider_unavailable" });
		const from = time.nowMs;
		expect(await outcome(request)).toBe("begun");
		expect(time.nowMs - from).toBe(2_000);
		const late = pacer.turn({ ...request, signal: AbortSignal.abort() });
		await expect(late).rejects.toMatchObject({ code: "provider_unavailable" });
	});

	test("at most 8 calls run simultaneously, of which the background has 6", async () => {
		const { pacer } = lab();
		const begun: string[] = [];
		const releases: (() => void)[] = [];
		const turn = async (what: Turn) => {
			releases.push(await pacer.turn(what));
			begun.push(what.purpose);
		};
		const all = [...Array(9).fill(background), ...Array(4).fill(request)].map(turn);
		const settle = async () => {
			for (let tick = 0; tick < 200; tick++) await Promise.resolve();
		};
		await settle();
		expect(begun).toHaveLength(8);
		expect(begun.filter((purpose) => purpose === "background").length).toBeLessThanOrEqual(6);
		while (releases.length > 0) {
			releases.shift()?.();
			await settle();
		}
		await Promise.all(all);
		expect(begun).toHaveLength(13);
	});

	test("a failing budget fails the waiting calls, and no later ones", async () => {
		const clock = { nowMs: () => 0 };
		let isDown = true;
		const inner = inProcessBudget({ clock });
		const pacer = createPacer({
			budgetName: "key",
			budget: {
				...inner,
				take: async (name, terms) => {
					if (isDown) throw new Error("away");
					return inner.take(name, terms);
				},
			},
			blocks: createBlocks(clock),
			clock,
			wait: async () => {},
		});
		await expect(pacer.turn(request)).rejects.toThrow("away");
		isDown = false;
		(await pacer.turn(request))();
	});
});
