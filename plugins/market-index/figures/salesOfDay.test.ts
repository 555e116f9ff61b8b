import { expect, test } from "bun:test";
import fc from "fast-check";
import { salesOfDay } from "#plugins/market-index/figures/salesOfDay.ts";

test("the day's sales are those of the interval of a day", () => {
	const week = { interval: "seven_days", sales: 900 };
	const day = { interval: "one_day", sales: 57, volume: 0 };
	expect(salesOfDay({ total: {}, intervals: [week, day] })).toBe(57);
	expect(salesOfDay({ intervals: [{ interval: "one_day", sales: 0 }] })).toBe(0);
	expect(salesOfDay({ intervals: [week] })).toBeNull();
});

test("an interval that cannot be read costs that interval only", () => {
	const day = { interval: "one_day", sales: 57 };
	const odd = [null, 7, "one_day", [], { interval: 5 }];
	expect(salesOfDay({ intervals: [...odd, day] })).toBe(57);
	expect(salesOfDay({ intervals: odd })).toBeNull();
});

test("whatever a provider sends, it is a count that can be stored, or unknown", () => {
	const interval = fc.record({ interval: fc.constant("one_day"), sales: fc.anything() });
	fc.assert(
		fc.property(fc.oneof(fc.anything(), fc.record({ intervals: fc.array(interval) })), (raw) => {
			const sales = salesOfDay(raw);
			if (sales === null) return;
			expect(Number.isSafeInteger(sales) && sales >= 0 && sales <= 1_000_000_000).toBe(true);
		}),
	);
});
