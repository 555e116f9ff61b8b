import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { longFiles } from "#test/run/fileTimes.ts";
import { createLineFilter, runTests } from "#test/run/runTests.ts";

describe("createLineFilter", () => {
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

	test("a failure is printed completely and once, also in colour", () => {
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
});

describe("runTests", () => {
	test("long files begin before short ones, whatever their names are", async () => {
		const root = await mkdtemp(join(tmpdir(), "tapeline-tests-"));
		try {
			const [longest = "", longer = ""] = longFiles;
			const files = ["core/a.test.ts", longer, "core/b.test.ts", longest];
			for (const file of files) {
				const told = `console.log("began ${file}");`;
				const text = `import { test } from "bun:test";\ntest("is", () => {\n${told}\n});\n`;
				await Bun.write(join(root, file), text);
			}
			const began: string[] = [];
			const group = { name: "some", files, workers: 2, isolated: true, timeLimitMs: 60_000 };
			const cases = await runTests(group, {
				root,
				reportFolder: join(root, "report"),
				env: process.env,
				print: (line) => began.push(...(/^began (.+)$/.exec(line)?.slice(1) ?? [])),
			});
			expect(cases.map(({ outcome }) => outcome)).toEqual(Array(4).fill("passed"));
			expect([longest, longer]).toContain(began[0] ?? "none began");
		} finally {
			await rm(root, { recursive: true });
		}
	});
});
