import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TestCase } from "#test/run/junit.ts";
import { failureLines, summaryOf } from "#test/run/summaryOf.ts";

describe("failureLines", () => {
	// Guarantee: the few lines that are shown of a failure are those that tell what happened.

	const values = `AssertionError: expect(received).toBe(expected)

Expected: 2
Received: 1

      at <anonymous> (/work/a.test.ts:10:35)
      at runTransaction (/work/core/db/openDatabase.ts:114:24)
`;

	test("a difference of two values shows both, and the position", () => {
		expect(failureLines(values, 6)).toEqual([
			"AssertionError: expect(received).toBe(expected)",
			"Expected: 2",
			"Received: 1",
			"at <anonymous> (/work/a.test.ts:10:35)",
		]);
	});

	test("a long difference shows the lines that differ", () => {
		const same = Array.from({ length: 30 }, (_, place) => `    ${place},`).join("\n");
		const detail = `AssertionError: expect(received).toEqual(expected)\n\n  [\n${same}
-   0,\n+   20,\n  ]\n\n- Expected  - 1\n+ Received  + 1\n\n      at a.test.ts:9:67\n`;
		expect(failureLines(detail, 6)).toEqual([
			"AssertionError: expect(received).toEqual(expected)",
			"-   0,",
			"+   20,",
			"at a.test.ts:9:67",
		]);
	});

	test("an error has its message, the lines after it and a position in our code", () => {
		const detail = `error: deadlock detected
  detail: "Process 1 waits",
      at /work/node_modules/pg/lib/client.js:694:17
      at move (/work/plugins/wallets/moveIntent.ts:31:9)`;
		expect(failureLines(detail, 6)).toEqual([
			"error: deadlock detected",
			'detail: "Process 1 waits",',
			"at move (/work/plugins/wallets/moveIntent.ts:31:9)",
		]);
		expect(failureLines("test timed out", 6)).toEqual(["test timed out"]);
		expect(failureLines("", 6)).toEqual([]);
	});

	test("the lines of a failure are never empty, too long, or more than the limit", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), fc.nat(8), (text, max) => {
				const lines = failureLines(`${values}\n${text}\n${"x".repeat(500)}`, max);
				expect(lines.length).toBeLessThanOrEqual(max);
				for (const line of lines) {
					expect(line.length).toBeGreaterThan(0);
					expect(line.length).toBeLessThanOrEqual(160);
				}
			}),
		);
	});
});

describe("summaryOf", () => {
	const base: TestCase = {
		name: "n",
		classname: "",
		file: "a.test.ts",
		timeSeconds: 0,
		outcome: "passed",
		detail: "",
	};

	test("the totals are the last line", () => {
		const { lines, ok } = summaryOf([
			base,
			base,
			{ ...base, outcome: "skipped", detail: "no logs" },
		]);
		expect(lines).toEqual(["skipped  a.test.ts > n: no logs", "2 passed, 0 failed, 1 skipped"]);
		expect(ok).toBe(true);
	});

	test("a failure is named and fails the run", () => {
		const { lines, ok } = summaryOf([base, { ...base, classname: "c", outcome: "failed" }]);
		expect(lines).toEqual(["FAILED   a.test.ts > c > n", "1 passed, 1 failed, 0 skipped"]);
		expect(ok).toBe(false);
	});

	test("each failure is listed with its reason, within a limited number of lines", () => {
		const detail = `error: ${"long ".repeat(100)}\n${"more\n".repeat(50)}   at a.test.ts:1:1\n`;
		const failed = (count: number) =>
			summaryOf(Array.from({ length: count }, () => ({ ...base, outcome: "failed", detail })))
				.lines;
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

	test("a test that passes in its second run is listed under the totals of a passing run", () => {
		const flaky = [{ file: "a.test.ts", test: "c > n", detail: "error: late" }];
		const { lines, ok } = summaryOf([base], flaky);
		expect(lines).toEqual(["1 passed, 0 failed, 0 skipped", "flaky: a.test.ts — c > n"]);
		expect(ok).toBe(true);
	});
});
