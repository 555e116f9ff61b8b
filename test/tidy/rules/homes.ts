import { eachFile } from "#test/tidy/eachFile.ts";
import { findInCode } from "#test/tidy/findInCode.ts";
import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

type Home = { what: string; pattern: RegExp; home: string; instead: string };

const HOMES: Home[] = [
	{
		what: "the time",
		pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
		home: "core/clock/systemClock.ts",
		instead: "take a Clock",
	},
	{
		what: "chance",
		pattern: /\bMath\.random\b/,
		home: "core/clock/systemRandom.ts",
		instead: "take a random source, or use node:crypto where nobody may guess",
	},
	{
		what: "the environment",
		pattern: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/,
		home: "core/config/readEnvironment.ts",
		instead: "declare the variable in a config schema",
	},
];

/** A test may read the clock; what it draws it must be able to draw again. */
const OF_TESTS: Home = {
	what: "a seed",
	pattern: /\bMath\.random\b/,
	home: "test/harness/testSeed.ts",
	instead: "draw by createPrng(TEST_SEED) or by fast-check",
};

/** The browser has its own clock, and no test holds it still. */
const BROWSER = "plugins/terminal/web/";

export const homes: Rule = {
	name: "homes",
	why: "the world comes in by the door: what takes a clock as an argument can be tested",
	check: eachFile(({ path, code }) =>
		path.startsWith(BROWSER)
			? []
			: (isTestFile(path) ? [OF_TESTS] : HOMES)
					.filter(({ home }) => home !== path)
					.flatMap(({ what, pattern, home, instead }) =>
						findInCode(code, pattern).map((line) => ({
							line,
							message: `${what} is read in ${home} only; ${instead}`,
						})),
					),
	),
	bad: [
		[{ path: "core/a.ts", text: "const now = Date.now();" }],
		[{ path: "core/a.ts", text: "const now = new Date();" }],
		[{ path: "plugins/a/x.ts", text: "const dice = Math.random();" }],
		[{ path: "core/a.test.ts", text: "const dice = Math.random();" }],
		[{ path: "test/sandbox/x.ts", text: "const dice = Math.random();" }],
		[{ path: "api/cli/x.ts", text: "const port = process.env.PORT;" }],
		[{ path: "api/cli/x.ts", text: "const port = Bun.env.PORT;" }],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the text is a program.
		[{ path: "core/a.ts", text: "const text = `${Date.now()}`;" }],
	],
	good: [
		[{ path: "core/clock/systemClock.ts", text: "const now = Date.now();" }],
		[{ path: "core/config/readEnvironment.ts", text: "const env = process.env;" }],
		[{ path: "core/a.test.ts", text: "const now = Date.now();" }],
		[{ path: "test/sandbox/x.ts", text: "const now = Date.now();" }],
		[{ path: "core/a.ts", text: "// Date.now()\nconst a = 'Date.now()', b = new Date(0);" }],
	],
};
