import { eachFile } from "#test/tidy/eachFile.ts";
import { findInCode } from "#test/tidy/findInCode.ts";
import type { Rule } from "#test/tidy/Rule.ts";

const HOME = "test/harness/skipWithReason.ts";

const LEFT_OUT =
	/\b(?:test|it|describe)\s*\.\s*(?:only|skip|skipIf|if|todo|todoIf|failing)\b|\b(?:xtest|xit|xdescribe|fit|fdescribe)\s*\(/;

export const skippedTests: Rule = {
	name: "skipped-tests",
	why: "a test that does not run proves nothing, so the report must say why it did not",
	check: eachFile(({ path, code }) =>
		path === HOME
			? []
			: findInCode(code, LEFT_OUT).map((line) => ({
					line,
					message: `leaves tests out; use skipWithReason of ${HOME}`,
				})),
	),
	bad: [
		[{ path: "core/a.test.ts", text: 'test.only("a", () => {});' }],
		[{ path: "core/a.test.ts", text: 'describe.skip("a", () => {});' }],
		[{ path: "core/a.test.ts", text: 'test.skipIf(ci)("a", () => {});' }],
		[{ path: "core/a.test.ts", text: 'test.todo("a");' }],
	],
	good: [
		[{ path: "core/a.test.ts", text: 'test("a", () => { expect(/x/.test("x")).toBe(true); });' }],
		[{ path: HOME, text: 'test.skip("a", () => {});' }],
	],
};
