import { expect, test } from "bun:test";
import { testsOfChanged } from "#test/run/testsOfChanged.ts";

const tests = [
	"core/a/readX.test.ts",
	"core/a/readX.bounds.test.ts",
	"core/a/readXs.test.ts",
	"core/b/readX.test.ts",
	"test/tidy/tidy.test.ts",
];

test("the tests beside a file that changed run, and no other file's", () => {
	expect(testsOfChanged(tests, ["core/a/readX.ts", "README.md"])).toEqual([
		"core/a/readX.test.ts",
		"core/a/readX.bounds.test.ts",
		"test/tidy/tidy.test.ts",
	]);
});

test("a test that changed runs, and the rules of style always do", () => {
	expect(testsOfChanged(tests, ["core/b/readX.test.ts"])).toEqual([
		"core/b/readX.test.ts",
		"test/tidy/tidy.test.ts",
	]);
	expect(testsOfChanged(tests, [])).toEqual(["test/tidy/tidy.test.ts"]);
});
