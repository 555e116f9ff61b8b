import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveSecondChance, keepFlaky } from "#test/run/flaky.ts";
import type { TestCase } from "#test/run/junit.ts";

describe("giveSecondChance", () => {
	const group = (name: string, files: string[]) => ({
		name,
		files,
		workers: 2,
		isolated: true,
		timeLimitMs: 1,
	});
	const one = (file: string, outcome: TestCase["outcome"], name = "n"): TestCase => ({
		name,
		classname: "",
		file,
		timeSeconds: 0,
		outcome,
		detail: outcome,
	});

	/** Runs the second chance, where these files fail again. */
	async function secondRun(cases: TestCase[], files: string[], failing: readonly string[] = []) {
		const ran: string[] = [];
		const said: string[] = [];
		const result = await giveSecondChance(cases, [group("unit", files)], {
			async runAlone(_, file) {
				ran.push(file);
				return [one(file, failing.includes(file) ? "failed" : "passed", "again")];
			},
			print: (line) => said.push(line),
		});
		return { ...result, ran, said };
	}

	test("files that passed do not run again", async () => {
		const { ran, flaky, said } = await secondRun([one("a", "passed"), one("b", "skipped")], ["a"]);
		expect([ran, flaky, said]).toEqual([[], [], []]);
	});

	test("a file runs again once, however many of its tests failed, and each of them is named", async () => {
		const cases = [one("a", "failed", "x"), one("a", "failed", "y"), one("a", "passed", "z")];
		const { ran, flaky, cases: now } = await secondRun(cases, ["a"]);
		expect(ran).toEqual(["a"]);
		expect(flaky.map(({ test }) => test)).toEqual(["x", "y"]);
		expect(now).toEqual([one("a", "passed", "again")]);
	});

	test("a stopped group passes only if all files that had not run pass in their second run", async () => {
		const stopped = one("test/run/unit", "failed", "the unit tests end within 1 s");
		const cases = [one("a", "failed"), one("b", "failed"), stopped];
		const good = await secondRun(cases, ["a", "b"]);
		expect(good.cases.map(({ outcome }) => outcome)).toEqual(["passed", "passed"]);
		expect(good.flaky).toHaveLength(3);
		const bad = await secondRun(cases, ["a", "b"], ["b"]);
		expect(bad.cases.filter(({ outcome }) => outcome === "failed")).toHaveLength(2);
		expect(bad.flaky.map(({ file }) => file)).toEqual(["a"]);
	});

	test("a rule of style gets no second run", async () => {
		const { ran, cases } = await secondRun([one("test/tidy/a", "failed")], ["test/tidy/a"]);
		expect([ran, cases]).toEqual([[], [one("test/tidy/a", "failed")]]);
	});

	test("a failure that belongs to no file stays a failure", async () => {
		const died = one("test/run/unit", "failed", "bun test ends well, not with 7");
		expect((await secondRun([one("a", "passed"), died], ["a"])).cases).toContainEqual(died);
	});

	test("no test runs again if hundreds fail", async () => {
		const files = Array.from({ length: 101 }, (_, at) => `f${at}`);
		const cases = files.map((file) => one(file, "failed"));
		const { ran, cases: now, said } = await secondRun(cases, files);
		expect([ran, now]).toEqual([[], cases]);
		expect(said).toEqual(["── 101 files failed; none is run again"]);
	});
});

describe("keepFlaky", () => {
	const at = (day: number) => new Date(Date.UTC(2026, 0, day));

	test("the list has every flaky test of the clone once, with its count and its failure", async () => {
		const folder = await mkdtemp(join(tmpdir(), "tapeline-flaky-"));
		const path = join(folder, "flaky.json");
		const a = { file: "core/a.test.ts", test: "a", detail: "first" };
		const b = { file: "core/b.test.ts", test: "b", detail: "other" };
		try {
			await keepFlaky(path, [], at(1));
			expect(await Bun.file(path).json()).toEqual([]);
			await keepFlaky(path, [a, b], at(2));
			await keepFlaky(path, [{ ...a, detail: "second" }], at(3));
			expect(await Bun.file(path).json()).toEqual([
				{ ...a, times: 2, lastSeen: at(3).toISOString(), detail: "second" },
				{ ...b, times: 1, lastSeen: at(2).toISOString() },
			]);
			// What somebody's editor left is no reason to fail a run.
			await Bun.write(path, "[{");
			await keepFlaky(path, [b], at(4));
			expect(await Bun.file(path).json()).toMatchObject([{ ...b, times: 1 }]);
		} finally {
			await rm(folder, { recursive: true });
		}
	});
});
