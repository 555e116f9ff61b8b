import { expect, test } from "bun:test";
import { createLineFilter } from "#test/run/createLineFilter.ts";

function filtered(lines: string[]): string[] {
	const printed: string[] = [];
	const filter = createLineFilter((line) => printed.push(line));
	for (const line of lines) filter(line);
	return printed;
}

test("a passing file is one line", () => {
	expect(
		filtered([
			"bun test v1.4.5 (a7733435c)",
			"",
			"core/a.test.ts:",
			"(pass) x [1ms]",
			"(skip) y",
			"",
			"core/b.test.ts:",
		]),
	).toEqual(["  core/a.test.ts", "  core/b.test.ts"]);
});

test("a failure is shown whole and once, also in colour", () => {
	expect(
		filtered([
			"\u001b[1mcore/a.test.ts:\u001b[0m",
			"error: expected",
			"",
			"  at a.test.ts:1",
			"\u001b[31m(fail)\u001b[0m x [1ms]",
			"",
			"1 tests failed:",
			"(fail) x [1ms]",
			"",
			" 3 pass",
			" 1 fail",
			" 4 expect() calls",
			"Ran 4 tests across 1 file. [9ms]",
		]),
	).toEqual([
		"  core/a.test.ts",
		"error: expected",
		"",
		"  at a.test.ts:1",
		"\u001b[31m(fail)\u001b[0m x [1ms]",
	]);
});
