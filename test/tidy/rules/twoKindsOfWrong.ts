import { eachFile } from "#test/tidy/eachFile.ts";
import { findInCode } from "#test/tidy/findInCode.ts";
import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

const BARE =
	/\b(?:throw|reject\(|Promise\.reject\(|fail\()\s*(?:new\s+)?(?:Type|Range|Syntax|Aggregate)?Error\b/;

export const twoKindsOfWrong: Rule = {
	name: "two-kinds-of-wrong",
	why: "a bare Error has no code, no status and no word for the person it happens to",
	check: eachFile(({ path, code }) =>
		isTestFile(path)
			? []
			: findInCode(code, BARE).map((line) => ({
					line,
					message: "throw a Fault (expected), or assert (our own mistake)",
				})),
	),
	bad: [
		[{ path: "core/a.ts", text: 'throw new Error("no");' }],
		[{ path: "core/a.ts", text: 'throw new TypeError("no");' }],
		[{ path: "core/a.ts", text: 'throw Error("no");' }],
		[{ path: "core/a.ts", text: 'new Promise((_, reject) => reject(new Error("no")));' }],
	],
	good: [
		[{ path: "core/a.ts", text: "throw tradingFault.listingGone();" }],
		[{ path: "core/a.ts", text: "// throw new Error" }],
		[{ path: "core/a.ts", text: "if (error instanceof Error) throw error;" }],
		[{ path: "core/a.test.ts", text: 'throw new Error("no");' }],
	],
};
