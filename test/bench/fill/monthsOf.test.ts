import { expect, test } from "bun:test";
import { monthsOf } from "#test/bench/fill/monthsOf.ts";

test("months touch each other and hold the whole stretch, also over a year's end", () => {
	const months = monthsOf(Date.UTC(2025, 11, 31, 23), Date.UTC(2026, 1, 1));
	expect(months.map(({ name }) => name)).toEqual(["2025_12", "2026_01", "2026_02"]);
	expect(months[0]?.fromMs).toBe(Date.UTC(2025, 11));
	for (const [index, month] of months.entries()) {
		expect(months[index + 1]?.fromMs ?? month.toMs).toBe(month.toMs);
	}
});
