import { expect, test } from "bun:test";
import { giveSecondChance } from "#test/run/giveSecondChance.ts";
import type { TestCase } from "#test/run/TestCase.ts";

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

test("a group that was stopped is made good by the files that had not run, all of them", async () => {
	const stopped = one("test/run/unit", "failed", "the unit tests end within 1 s");
	const cases = [one("a", "failed"), one("b", "failed"), stopped];
	const good = await secondRun(cases, ["a", "b"]);
	expect(good.cases.map(({ outcome }) => outcome)).toEqual(["passed", "passed"]);
	expect(good.flaky).toHaveLength(3);
	const bad = await secondRun(cases, ["a", "b"], ["b"]);
	expect(bad.cases.filter(({ outcome }) => outcome === "failed")).toHaveLength(2);
	expect(bad.flaky.map(({ file }) => file)).toEqual(["a"]);
});

test("a rule of style gets no second chance", async () => {
	const { ran, cases } = await secondRun([one("test/tidy/a", "failed")], ["test/tidy/a"]);
	expect([ran, cases]).toEqual([[], [one("test/tidy/a", "failed")]]);
});

test("what no file is to blame for stays red", async () => {
	const died = one("test/run/unit", "failed", "bun test ends well, not with 7");
	expect((await secondRun([one("a", "passed"), died], ["a"])).cases).toContainEqual(died);
});

test("where hundreds fail none runs again", async () => {
	const files = Array.from({ length: 101 }, (_, at) => `f${at}`);
	const cases = files.map((file) => one(file, "failed"));
	const { ran, cases: now, said } = await secondRun(cases, files);
	expect([ran, now]).toEqual([[], cases]);
	expect(said).toEqual(["── 101 files failed; none is run again"]);
});
