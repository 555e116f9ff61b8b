import { expect, test } from "bun:test";
import { summaryOf } from "#test/run/summaryOf.ts";
import type { TestCase } from "#test/run/TestCase.ts";

const base: TestCase = {
	name: "n",
	classname: "",
	file: "a.test.ts",
	timeSeconds: 0,
	outcome: "passed",
	detail: "",
};

test("the totals are the last line", () => {
	const { lines, ok } = summaryOf([base, base, { ...base, outcome: "skipped", detail: "no logs" }]);
	expect(lines).toEqual(["skipped  a.test.ts > n: no logs", "2 passed, 0 failed, 1 skipped"]);
	expect(ok).toBe(true);
});

test("a failure is named and fails the run", () => {
	const { lines, ok } = summaryOf([base, { ...base, classname: "c", outcome: "failed" }]);
	expect(lines).toEqual(["FAILED   a.test.ts > c > n", "1 passed, 1 failed, 0 skipped"]);
	expect(ok).toBe(false);
});

test("what happened stands under the name of what failed, within what is seen of the output", () => {
	const detail = `error: ${"long ".repeat(100)}\n${"more\n".repeat(50)}   at a.test.ts:1:1\n`;
	const failed = (count: number) =>
		summaryOf(Array.from({ length: count }, () => ({ ...base, outcome: "failed", detail }))).lines;
	expect(failed(1)).toHaveLength(1 + 6 + 1);
	expect(failed(1)[6]?.trim()).toBe("at a.test.ts:1:1");
	for (let count = 1; count <= 38; count++) {
		const lines = failed(count);
		expect(lines.length).toBeLessThan(40);
		expect(lines.filter((line) => line.startsWith("FAILED"))).toHaveLength(count);
		expect(lines.at(-1)).toBe(`0 passed, ${count} failed, 0 skipped`);
	}
	expect(failed(100)).toHaveLength(101);
});

test("a run in which nothing ran, or everything was skipped, has failed", () => {
	expect(summaryOf([]).ok).toBe(false);
	expect(summaryOf([{ ...base, outcome: "skipped" }]).ok).toBe(false);
	expect(summaryOf([]).lines.at(-1)).toBe("0 passed, 0 failed, 0 skipped");
});

test("what passed only at its second try stands under the totals, and the run is green", () => {
	const flaky = [{ file: "a.test.ts", test: "c > n", detail: "error: late" }];
	const { lines, ok } = summaryOf([base], flaky);
	expect(lines).toEqual(["1 passed, 0 failed, 0 skipped", "flaky: a.test.ts — c > n"]);
	expect(ok).toBe(true);
});
