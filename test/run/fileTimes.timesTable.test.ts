import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTimes, timesTable } from "#test/run/fileTimes.ts";
import type { TestCase } from "#test/run/junit.ts";

const caseOf = (file: string): TestCase => ({
	...{ name: "a", classname: "", file, timeSeconds: 1, outcome: "passed", detail: "" },
});

test("the files that take longest come first, with their share of the total", () => {
	const times = new Map([
		["quick.test.ts", { processor: 0.04, seconds: 300 }],
		["slow.test.ts", { processor: 90.4, seconds: 91 }],
	]);
	for (let n = 0; n < 30; n++) times.set(`some${n}.test.ts`, { processor: 1, seconds: 2 });
	const cases = [caseOf("slow.test.ts"), caseOf("slow.test.ts"), caseOf("quick.test.ts")];
	const lines = timesTable(times, { cases, tookSeconds: 61 });
	expect(lines[0]).toBe(
		"3 tests in 32 files: 120 s of processor time in 61 s; the 20 below are 91 %",
	);
	expect(lines.slice(2, 6)).toEqual([
		"| file | tests | processor s | seconds |",
		"| --- | ---: | ---: | ---: |",
		"| `slow.test.ts` | 2 | 90 | 91 |",
		"| `some0.test.ts` | 0 | 1.0 | 2.0 |",
	]);
	expect(lines).toHaveLength(2 + 2 + 20);
	expect(timesTable(new Map(), { cases: [], tookSeconds: 0 })[0]).toContain("0 tests in 0 files");
});

test("only this run's files are read, and a run that wrote nothing has no times", async () => {
	const folder = mkdtempSync(join(tmpdir(), "times-"));
	try {
		const files = { "a.test.ts": 1_500, "of another run.test.ts": 9, "b.test.ts": "odd" };
		await Bun.write(join(folder, "unit.times.json"), JSON.stringify({ version: 1, files }));
		const worked = JSON.stringify({ file: "a.test.ts", seconds: 0.7 });
		await Bun.write(join(folder, "unit.processor.jsonl"), `${worked}\n`);
		const read = await readTimes(folder, "unit", ["a.test.ts", "b.test.ts", "c.test.ts"]);
		expect([...read]).toEqual([["a.test.ts", { seconds: 1.5, processor: 0.7 }]]);
		expect((await readTimes(folder, "systems", ["a.test.ts"])).size).toBe(0);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
