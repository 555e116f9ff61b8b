import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createEndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import { createHeadJudge, rankEndpoints } from "#core/chain/rpc/createPool.ts";

describe("createHeadJudge", () => {
	// Guarantee: one false head makes no honest endpoint look false, and true ones are accepted.

	const START = 5_000_000;

	test("the heads of honest endpoints are believed, however often a false head is reported", () => {
		const step = fc.record({
			who: fc.constantFrom("one", "two", "liar"),
			afterMs: fc.integer({ min: 0, max: 20_000 }),
			lie: fc.bigInt({ min: 2n ** 30n, max: 2n ** 256n }),
		});
		fc.assert(
			fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
				const judge = createHeadJudge();
				let nowMs = 0;
				// Both were heard, so that a lie can be compared.
				for (const endpoint of ["one", "two"]) judge.believes(endpoint, { block: START, nowMs });
				for (const { who, afterMs, lie } of steps) {
					nowMs += afterMs;
					const head = START + Math.floor(nowMs / 250);
					if (who !== "liar") {
						expect(judge.believes(who, { block: head, nowMs })).toBe(true);
						continue;
					}
					for (const other of ["one", "two"]) judge.believes(other, { block: head, nowMs });
					expect(judge.believes("liar", { block: Number(lie), nowMs })).toBe(false);
				}
			}),
		);
	});

	test("a single endpoint's far head is believed at its second report, and at once after an outage", () => {
		const judge = createHeadJudge();
		const says = (block: number) => judge.believes("only", { block, nowMs: 0 });
		expect([says(100), says(10 ** 9), says(101)]).toEqual([true, false, true]);
		expect([says(10 ** 9), says(10 ** 9 + 1), says(102)]).toEqual([false, true, true]);
	});

	test("two endpoints that jump together are both believed", () => {
		const judge = createHeadJudge();
		const says = (endpoint: string, block: number) => judge.believes(endpoint, { block, nowMs: 0 });
		expect([says("one", 100), says("two", 100)]).toEqual([true, true]);
		expect([says("one", 100_000), says("two", 100_001), says("one", 100_002)]).toEqual([
			...[false, true, true],
		]);
	});

	test("an endpoint whose head does not advance does not hold back the others", () => {
		const judge = createHeadJudge();
		expect(judge.believes("stuck", { block: 100, nowMs: 0 })).toBe(true);
		const late = (block: number, nowMs: number) => judge.believes("live", { block, nowMs });
		expect(late(5_000_000, 30_000)).toBe(false);
		expect(judge.believes("stuck", { block: 100, nowMs: 60_000 })).toBe(true);
		expect(late(5_000_100, 61_000)).toBe(true);
	});

	test("a head above any possible block number is not believed, even as the first one", () => {
		const judge = createHeadJudge();
		expect(judge.believes("one", { block: 2 ** 48, nowMs: 0 })).toBe(false);
		expect(judge.believes("one", { block: 2 ** 48, nowMs: 0 })).toBe(false);
	});
});

describe("rankEndpoints", () => {
	const NEVER = Number.NEGATIVE_INFINITY;
	const first = { index: 0, sinceMs: NEVER };

	/** Makes endpoints that answer in so many milliseconds; null was never asked. */
	function endpoints(...durationsMs: (number | null)[]) {
		return durationsMs.map((durationMs) => {
			const health = createEndpointHealth();
			for (let sample = 0; durationMs !== null && sample < 5; sample++) {
				health.answered("light", durationMs, 0);
			}
			return health;
		});
	}

	test("endpoints keep their configured order while nothing is known about them", () => {
		const { order } = rankEndpoints(endpoints(null, null, null), { incumbent: first, nowMs: 0 });
		expect(order).toEqual([0, 1, 2]);
	});

	test("[ING-14] a clearly faster endpoint becomes the first, and the others are sorted by response time", () => {
		const ranked = rankEndpoints(endpoints(300, 90, 50, 80), { incumbent: first, nowMs: 0 });
		expect(ranked).toEqual({ order: [2, 3, 1, 0], incumbent: { index: 2, sinceMs: 0 } });
	});

	test("[ING-14] two endpoints with similar response times do not change places", () => {
		for (const [mine, other] of [
			[100, 71],
			[30, 12],
			[100, 100],
			[50, 300],
		] as const) {
			const { incumbent } = rankEndpoints(endpoints(mine, other), { incumbent: first, nowMs: 0 });
			expect({ mine, other, index: incumbent.index }).toEqual({ mine, other, index: 0 });
		}
	});

	test("[ING-14] an endpoint that has just become the first one stays first for a minute", () => {
		const incumbent = { index: 0, sinceMs: 0 };
		const healths = endpoints(900, 10);
		expect(rankEndpoints(healths, { incumbent, nowMs: 59_999 }).incumbent.index).toBe(0);
		expect(rankEndpoints(healths, { incumbent, nowMs: 60_000 }).incumbent.index).toBe(1);
	});

	test("the response time for logs decides the order if both endpoints have one", () => {
		const healths = endpoints(10, 500);
		for (let sample = 0; sample < 3; sample++) {
			healths[0]?.answered("logs", 4_000, 0);
			healths[1]?.answered("logs", 700, 0);
		}
		expect(rankEndpoints(healths, { incumbent: first, nowMs: 0 }).incumbent.index).toBe(1);
	});

	test("[ING-14] suspects are called last, and an endpoint with a retry time is not called at all", () => {
		const healths = endpoints(10, 100, 200);
		healths[0]?.failed(0);
		expect(rankEndpoints(healths, { incumbent: first, nowMs: 0 }).order).toEqual([1, 2, 0]);
		healths[1]?.putAside(5_000);
		expect(rankEndpoints(healths, { incumbent: first, nowMs: 4_999 }).order).toEqual([2, 0]);
		expect(rankEndpoints(healths, { incumbent: first, nowMs: 5_000 }).order).toEqual([1, 2, 0]);
	});

	test("[ING-14] endpoints that have a block come first, then those that may have it, then the rest", () => {
		const healths = endpoints(10, 20, 30);
		healths[0]?.lacks(100, 0);
		healths[2]?.has(100);
		const question = { incumbent: first, nowMs: 0 };
		expect(rankEndpoints(healths, { ...question, minBlock: 100 }).order).toEqual([2, 1, 0]);
		expect(rankEndpoints(healths, { ...question, minBlock: 99 }).order).toEqual([2, 0, 1]);
		// One question that it could not serve does not cost an endpoint its first place.
		expect(rankEndpoints(healths, { ...question, minBlock: 100 }).incumbent.index).toBe(0);
	});

	test("each endpoint that may be called is ranked exactly once", () => {
		const endpoint = fc.record({
			durationMs: fc.option(fc.integer({ min: 0, max: 1_000 })),
			failed: fc.boolean(),
			asideMs: fc.integer({ min: -5, max: 5 }),
			head: fc.integer({ min: 0, max: 20 }),
		});
		fc.assert(
			fc.property(
				fc.array(endpoint, { maxLength: 8 }),
				fc.nat(9),
				fc.nat(20),
				(all, index, minBlock) => {
					const healths = endpoints(...all.map(({ durationMs }) => durationMs));
					for (const [at, { failed, asideMs, head }] of all.entries()) {
						if (failed) healths[at]?.failed(0);
						healths[at]?.putAside(asideMs);
						healths[at]?.has(head);
					}
					const incumbent = { index, sinceMs: NEVER };
					const { order } = rankEndpoints(healths, { incumbent, minBlock, nowMs: 0 });
					const askable = [...all.keys()].filter((at) => (all[at]?.asideMs ?? 0) <= 0);
					expect(order.toSorted()).toEqual(askable);
				},
			),
		);
	});
});
