import { expect, test } from "bun:test";
import fc from "fast-check";
import { MINUTE_MS } from "#core/time/units.ts";
import { pageCoverage } from "#plugins/market-index/figures/pageCoverage.ts";

// Guarantee: a page of a list is not named only where all of its time was looked at.

const NOW_MS = 100 * 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const chain = (fromMs: number, untilMs: number) => [
	{ source: "chain" as const, span: { fromMs, untilMs } },
];

test("a page whose time is held is whole, whatever is missing before it", () => {
	const range = { fromMs: NOW_MS - 10 * MINUTE_MS, untilMs: NOW_MS };
	expect(pageCoverage(range, { points: chain(range.fromMs - 1, NOW_MS) })).toEqual({});
	const inAll = { fromMs: null, untilMs: NOW_MS };
	expect(pageCoverage(inAll, { points: chain(0, NOW_MS) })).toEqual({});
});

test("a page that was looked at in part says of what time, in whole minutes", () => {
	const range = { fromMs: NOW_MS - 100 * MINUTE_MS, untilMs: NOW_MS };
	const untilMs = NOW_MS - 25 * MINUTE_MS;
	expect(pageCoverage(range, { sale: chain(NOW_MS - 75 * MINUTE_MS, untilMs + 30_000) })).toEqual({
		sale: { from: at(NOW_MS - 75 * MINUTE_MS), until: at(untilMs), fraction: 0.505 },
	});
});

test("how much of all time was looked at is not known, and of nothing it is none", () => {
	const range = { fromMs: null, untilMs: NOW_MS };
	const fromMs = NOW_MS - 86_400_000;
	expect(
		pageCoverage(range, { sale: chain(fromMs, NOW_MS), mint: [{ source: "chain", span: null }] }),
	).toEqual({
		sale: { from: at(fromMs), until: at(NOW_MS), fraction: null },
		mint: { from: null, until: null, fraction: 0 },
	});
});

test("whatever is held, what is not named is held to a minute, and nothing is claimed beyond it", () => {
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
