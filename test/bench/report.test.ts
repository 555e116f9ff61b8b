import { expect, test } from "bun:test";
import { formatValue, judge, renderTable } from "#test/bench/report.ts";

test("a goal is met at exactly its value, and a figure that could not be measured misses it", () => {
	expect(judge(8_000, { kind: "at_least", value: 8_000 })).toBe(true);
	expect(judge(7_999, { kind: "at_least", value: 8_000 })).toBe(false);
	expect(judge(60, { kind: "at_most", value: 60 })).toBe(true);
	expect(judge(60.1, { kind: "at_most", value: 60 })).toBe(false);
	expect(judge(Number.NaN, { kind: "at_most", value: 60 })).toBe(false);
	expect(judge(Number.NaN, null)).toBe(true);
});

test("values are shown with significant digits only", () => {
	expect(formatValue(25_123.4)).toBe("25,123");
	expect(formatValue(181.26)).toBe("181.3");
	expect(formatValue(0.7512)).toBe("0.75");
	expect(formatValue(Number.NaN)).toBe("?");
});

test("the table shows goal and verdict only if there is a goal", () => {
	const table = renderTable([
		{ name: "a", unit: "ms", value: 61, goal: { kind: "at_most", value: 60 }, ok: false },
		{ name: "b", unit: "s", value: 2, goal: null, ok: true, note: "one run" },
	]);
	expect(table.split("\n")).toEqual([
		"| figure | value | reference | goal |        | how     |",
		"|--------|-------|-----------|------|--------|---------|",
		"| a      | 61 ms |           | ≤ 60 | MISSED |         |",
		"| b      | 2 s   |           |      |        | one run |",
	]);
});

test("a figure is shown beside its reference of the same run", () => {
	const reference = { value: 40_123, of: "bare floor" };
	const table = renderTable([
		{ name: "a", unit: "rows/s", value: 30_000, reference, goal: null, ok: true },
	]);
	expect(table).toContain("| 30,000 rows/s | 40,123 bare floor |");
});
