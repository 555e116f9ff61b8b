import { eachFile } from "#test/tidy/eachFile.ts";
import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

const LINES_MAX = 400;

/** A table of cases may be long: it is read one row at a time. */
const TEST_LINES_MAX = 800;

export const fileLength: Rule = {
	name: "file-length",
	why: "a file is one idea; above 400 lines it has become two",
	check: eachFile(({ path, text }) => {
		const lines = text.trimEnd().split("\n").length;
		const max = isTestFile(path) ? TEST_LINES_MAX : LINES_MAX;
		return lines > max ? [{ message: `has ${lines} lines, at most ${max}` }] : [];
	}),
	bad: [
		[{ path: "core/a.ts", text: "x\n".repeat(401) }],
		[{ path: "core/a.test.ts", text: "x\n".repeat(801) }],
	],
	good: [
		[{ path: "core/a.ts", text: "x\n".repeat(400) }],
		[{ path: "core/a.test.ts", text: "x\n".repeat(800) }],
	],
};
