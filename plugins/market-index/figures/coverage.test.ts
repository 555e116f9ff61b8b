import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { coverageOf, pageCoverage } from "#plugins/market-index/figures/coverage.ts";
import type { Span } from "#plugins/market-index/rollup/windows.ts";

describe("coverageOf", () => {
	// Guarantee: coverage never says more of a window than its sources hold of it.

	const NOW = 1_000 * HOUR_MS;
	const DAY = { startMs: NOW - 24 * HOUR_MS, nowMs: NOW };
	const span = (fromHours: number, untilHours: number): Span => ({
		fromMs: NOW - fromHours * HOUR_MS,
		untilMs: NOW - untilHours * HOUR_MS,
	});

	test("a source that has the window up to a minute ago covers all of it", () => {
		const whole = coverageOf(DAY, [{ source: "chain", span: span(24, 0) }]);
		expect(whole).toMatchObject({ source: "chain", coverage: { fraction: 1 } });
		const late = { ...span(30, 0), untilMs: NOW - 60_000 };
		expect(coverageOf(DAY, [{ source: "chain", span: late }])?.coverage.fraction).toBe(1);
		const minute = { ...span(30, 0), fromMs: DAY.startMs + 60_001 };
		expect(coverageOf(DAY, [{ source: "chain", span: minute }])?.coverage.fraction).toBeLessThan(1);
		const later = { ...span(30, 0), untilMs: NOW - 60_001 };
		expect(coverageOf(DAY, [{ source: "chain", span: later }])?.coverage.fraction).toBeLessThan(1);
	});

	test("adjacent spans are joined, and the source that covers most is named", () => {
		const both = coverageOf(DAY, [
			{ source: "chain", span: span(3, 0) },
			{ source: "provider", span: span(24, 2) },
		]);
		expect(both).toMatchObject({ source: "provider", coverage: { fraction: 1 } });
		const apart = coverageOf(DAY, [
			{ source: "chain", span: span(3, 0) },
			{ source: "provider", span: span(24, 4) },
		]);
		expect(apart?.coverage).toEqual({ ...span(24, 4), fraction: 0.8333 });
		const equal = coverageOf(DAY, [
			{ source: "chain", span: span(30, 0) },
			{ source: "provider", span: span(30, 0) },
		]);
		expect(equal?.source).toBe("chain");
	});

	test("a span that ended before the window covers nothing of it", () => {
		expect(coverageOf(DAY, [{ source: "provider", span: span(48, 24) }])).toBeNull();
		expect(coverageOf(DAY, [{ source: "chain", span: null }])).toBeNull();
		expect(coverageOf(DAY, [])).toBeNull();
	});

	const anySpan = fc
		.tuple(fc.integer({ min: -10, max: 60 }), fc.integer({ min: -10, max: 60 }))
		.map(([a, b]) => span(Math.max(a, b), Math.min(a, b)));
	const spans = fc.array(fc.option(anySpan, { nil: null }), { maxLength: 4 });

	test("coverage includes only times within a span, and is complete only if spans include all of it", () => {
		fc.assert(
			fc.property(spans, (given) => {
				const sources = given.map((one) => ({ source: "chain" as const, span: one }));
				const covered = coverageOf(DAY, sources);
				const held = (atMs: number) =>
					given.some((one) => one !== null && one.fromMs <= atMs && atMs <= one.untilMs);
				const hours = Array.from({ length: 24 }, (_, hour) => DAY.startMs + (hour + 0.5) * HOUR_MS);
				if (!covered) {
					expect(hours.some(held)).toBe(false);
					return;
				}
				const { fromMs, untilMs, fraction } = covered.coverage;
				if (fromMs === null || untilMs === null || fraction === null) throw new Error("no ends");
				expect(fromMs).toBeGreaterThanOrEqual(DAY.startMs);
				expect(untilMs).toBeLessThanOrEqual(DAY.nowMs);
				const claimed = hours.filter((atMs) => atMs > fromMs && atMs < untilMs);
				expect(claimed.every(held)).toBe(true);
				expect(fraction).toBeLessThanOrEqual(1);
				expect(fraction === 1).toBe(hours.every(held));
				// No stretch that is held is longer than the one that is claimed.
				const runs = hours
					.map((atMs) => (held(atMs) ? "x" : " "))
					.join("")
					.split(" ");
				expect(claimed.length).toBe(Math.max(...runs.map((run) => run.length)));
			}),
		);
	});
});

describe("pageCoverage", () => {
	// Guarantee: a page of a list is not named only where all of its time was looked at.

	const NOW_MS = 100 * 86_400_000;
	const at = (ms: number) => new Date(ms).toISOString();
	const chain = (fromMs: number, untilMs: number) => [
		{ source: "chain" as const, span: { fromMs, untilMs } },
	];

	test("a page whose time is covered is complete, whatever is missing before it", () => {
		const range = { fromMs: NOW_MS - 10 * MINUTE_MS, untilMs: NOW_MS };
		expect(pageCoverage(range, { points: chain(range.fromMs - 1, NOW_MS) })).toEqual({});
		const inAll = { fromMs: null, untilMs: NOW_MS };
		expect(pageCoverage(inAll, { points: chain(0, NOW_MS) })).toEqual({});
	});

	test("a page that was covered in part has its covered time, in whole minutes", () => {
		const range = { fromMs: NOW_MS - 100 * MINUTE_MS, untilMs: NOW_MS };
		const untilMs = NOW_MS - 25 * MINUTE_MS;
		expect(pageCoverage(range, { sale: chain(NOW_MS - 75 * MINUTE_MS, untilMs + 30_000) })).toEqual(
			{
				sale: { from: at(NOW_MS - 75 * MINUTE_MS), until: at(untilMs), fraction: 0.505 },
			},
		);
	});

	test("the covered share of all time is unknown, and zero where nothing was read", () => {
		const range = { fromMs: null, untilMs: NOW_MS };
		const fromMs = NOW_MS - 86_400_000;
		expect(
			pageCoverage(range, { sale: chain(fromMs, NOW_MS), mint: [{ source: "chain", span: null }] }),
		).toEqual({
			sale: { from: at(fromMs), until: at(NOW_MS), fraction: null },
			mint: { from: null, until: null, fraction: 0 },
		});
	});

	test("a page's coverage never claims more than was read, to the minute", () => {
		const time = fc.integer({ min: 0, max: NOW_MS });
		fc.assert(
			fc.property(fc.option(time), time, time, time, (fromMs, untilMs, one, other) => {
				const range = { fromMs: fromMs === null ? null : Math.min(fromMs, untilMs), untilMs };
				const span = { fromMs: Math.min(one, other), untilMs: Math.max(one, other) };
				const { list } = pageCoverage(range, { list: [{ source: "provider", span }] });
				if (!list) {
					expect(span.fromMs).toBeLessThanOrEqual((range.fromMs ?? 0) + MINUTE_MS);
					expect(span.untilMs).toBeGreaterThanOrEqual(untilMs - MINUTE_MS);
					return;
				}
				if (list.from === null || list.until === null) return;
				expect(Date.parse(list.from)).toBeGreaterThanOrEqual(span.fromMs);
				expect(Date.parse(list.until)).toBeLessThanOrEqual(span.untilMs);
			}),
		);
	});
});
