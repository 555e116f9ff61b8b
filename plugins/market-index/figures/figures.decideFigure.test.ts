import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS } from "#core/time.ts";
import { decideFigure, type Known, salesOfDay } from "#plugins/market-index/figures/figures.ts";
import { FIGURE_SOURCES } from "#plugins/market-index/rollup/windows.ts";

describe("decideFigure", () => {
	// Guarantee: a figure is a number only where somebody looked, and says how much was looked at.

	const time = fc.integer({ min: 0, max: 100 * HOUR_MS });
	const coverage = fc.record({
		fromMs: fc.option(time, { nil: null }),
		untilMs: fc.option(time, { nil: null }),
		fraction: fc.option(fc.constantFrom(0, 0.0001, 0.5, 0.9999, 1), { nil: null }),
	});
	const known: fc.Arbitrary<Known> = fc.record(
		{
			value: fc.oneof(
				fc.constantFrom(null, 0, -0, -1, 0.5, 57, Number.NaN, Number.POSITIVE_INFINITY),
				fc.double(),
			),
			source: fc.option(fc.constantFrom(...FIGURE_SOURCES), { nil: null }),
			asOfMs: fc.option(time, { nil: null }),
			coverage: fc.option(coverage, { nil: null }),
			isCounted: fc.boolean(),
			doubt: fc.option(fc.constantFrom("no_price", "contradicted"), { nil: null }),
			isSigned: fc.boolean(),
		},
		{ requiredKeys: ["value", "source"] },
	);

	test("a figure is null with its reason, or a number without one, and never both", () => {
		fc.assert(
			fc.property(known, (given) => {
				const { value, reason, source, asOfMs, coverage: covered } = decideFigure(given);
				expect(value === null).toBe(reason !== null);
				if (value === null) expect([asOfMs, covered]).toEqual([null, null]);
				else expect([Number.isFinite(value), Object.is(value, -0)]).toEqual([true, false]);
				if (value !== null && value < 0) expect(given.isSigned).toBe(true);
				if (reason === "not_covered" || reason === "not_read") expect(source).toBeNull();
			}),
		);
	});

	test("a count above zero is shown as a number, with its true coverage", () => {
		fc.assert(
			fc.property(known, fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (given, value) => {
				const figure = decideFigure({ ...given, value });
				expect(figure.value).toBe(value);
				const nothing = { fromMs: null, untilMs: null, fraction: 0 };
				const stated = given.coverage === null ? nothing : (given.coverage ?? null);
				expect(figure.coverage).toEqual(stated);
			}),
		);
	});

	test("a zero is a number only if it was counted, over at least a minute, and not contradicted", () => {
		fc.assert(
			fc.property(known, (given) => {
				const { value, reason } = decideFigure({ ...given, value: 0 });
				const { coverage: covered, isCounted = false, doubt = null } = given;
				const lengthMs = (covered?.untilMs ?? 0) - (covered?.fromMs ?? 0);
				const isBounded = covered?.fromMs != null && covered?.untilMs != null;
				const isLooked =
					covered === undefined || covered?.fraction === 1 || (isBounded && lengthMs >= 60_000);
				expect(value === 0).toBe(isCounted && isLooked && doubt === null);
				if (!isCounted) expect(reason).toBe("not_counted");
				else if (!isLooked) expect(reason).toBe("not_covered");
				else expect(reason).toBe(doubt);
			}),
		);
	});

	test("a figure has the time at which it was reported, else the end of the covered time", () => {
		const counted = { value: 3, source: "chain", isCounted: true } as const;
		const covered = { fromMs: 0, untilMs: 9_000, fraction: 0.5 };
		expect(decideFigure({ ...counted, coverage: covered }).asOfMs).toBe(9_000);
		expect(decideFigure({ ...counted, coverage: covered, asOfMs: 5 }).asOfMs).toBe(5);
		expect(decideFigure({ ...counted, coverage: null }).asOfMs).toBeNull();
	});
});

describe("salesOfDay", () => {
	test("the day's sales are those of the provider's one-day interval", () => {
		const week = { interval: "seven_days", sales: 900 };
		const day = { interval: "one_day", sales: 57, volume: 0 };
		expect(salesOfDay({ total: {}, intervals: [week, day] })).toBe(57);
		expect(salesOfDay({ intervals: [{ interval: "one_day", sales: 0 }] })).toBe(0);
		expect(salesOfDay({ intervals: [week] })).toBeNull();
	});

	test("an interval that cannot be parsed does not affect the others", () => {
		const day = { interval: "one_day", sales: 57 };
		const odd = [null, 7, "one_day", [], { interval: 5 }];
		expect(salesOfDay({ intervals: [...odd, day] })).toBe(57);
		expect(salesOfDay({ intervals: odd })).toBeNull();
	});

	test("a provider's count of sales is a number that can be stored, or unknown", () => {
		const interval = fc.record({ interval: fc.constant("one_day"), sales: fc.anything() });
		fc.assert(
			fc.property(fc.oneof(fc.anything(), fc.record({ intervals: fc.array(interval) })), (raw) => {
				const sales = salesOfDay(raw);
				if (sales === null) return;
				expect(Number.isSafeInteger(sales) && sales >= 0 && sales <= 1_000_000_000).toBe(true);
			}),
		);
	});
});
