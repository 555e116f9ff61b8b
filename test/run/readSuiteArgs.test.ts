import { expect, test } from "bun:test";
import { readSuiteArgs } from "#test/run/readSuiteArgs.ts";

test("--help explains and runs nothing, wherever it stands", () => {
	for (const argv of [["--help"], ["-h"], ["--prove", "--help"], ["core", "--help"]]) {
		expect(readSuiteArgs(argv)).toMatchObject({
			kind: "help",
			text: expect.stringContaining("bun run prove"),
		});
	}
});

test("parts of paths and --prove run", () => {
	for (const argv of [[], ["core"], ["--prove"], ["--prove", "a", "b"], ["--all"], ["--changed"]]) {
		expect(readSuiteArgs(argv)).toEqual({ kind: "run" });
	}
});

test("an option that nobody knows is refused: half an hour of tests may not be what was meant", () => {
	expect(readSuiteArgs(["--prvoe"])).toMatchObject({
		kind: "wrong",
		text: expect.stringContaining('"--prvoe" is not an option.'),
	});
});
