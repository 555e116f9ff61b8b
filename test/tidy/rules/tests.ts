import { eachFile, findInCode, isTestFile, type Rule } from "#test/tidy/Rule.ts";

export const moduleMocks: Rule = {
	name: "module-mocks",
	why: "mock.module leaks from one test file into the next (reproduced on Bun 1.4.5)",
	check: eachFile(({ code }) =>
		findInCode(code, /\bmock\s*\.\s*module\b|\b(?:jest|vi)\s*\.\s*mock\b/).map((line) => ({
			line,
			message: "pass the dependency in instead",
		})),
	),
	bad: [
		[{ path: "core/a.test.ts", text: 'mock.module("#core/b.ts", () => ({}));' }],
		[{ path: "test/harness/a.ts", text: 'vi.mock("#core/b.ts");' }],
	],
	good: [[{ path: "core/a.test.ts", text: "const call = mock(() => 1); // mock.module" }]],
};

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

const TEST_LIMITS_HOME = "test/harness/testLimits.ts";

/** What takes a limit as its last argument; a test that may be left out is called `testWith…`. */
const CALL = /\b(?:test\w*|it|before(?:All|Each)|after(?:All|Each))(?:\s*\.\s*each)?\s*\(/g;

const DEFAULT = /\b(?:setDefaultTimeout|jest\s*\.\s*setTimeout)\b/g;

export const testLimits: Rule = {
	name: "test-limits",
	why: "a limit finds what hangs: a shorter one fails the test of whoever's machine is busy",
	check: eachFile(({ path, code }) => {
		if (!isTestFile(path) || path === TEST_LIMITS_HOME || path.startsWith("test/tidy/")) return [];
		const found = [...code.matchAll(CALL)].flatMap(({ index, 0: head }) => {
			const limit = limitOf(code, index + head.length);
			return limit !== null && !isDerived(limit, code) ? [index] : [];
		});
		return [...found, ...[...code.matchAll(DEFAULT)].map(({ index }) => index)].map((index) => ({
			line: code.slice(0, index).split("\n").length,
			message: `leave the limit out, or name a multiple of TEST_LIMIT_MS of ${TEST_LIMITS_HOME}`,
		}));
	}),
	bad: [
		[{ path: "core/a.test.ts", text: 'test("a", async () => { f(1, 2); }, 30_000);' }],
		[{ path: "core/a.test.ts", text: 'test("a", () => {}, { timeout: 30_000 });' }],
		[{ path: "core/a.test.ts", text: "const A_MS = 9_000;\nbeforeAll(() => open(), A_MS);" }],
		[{ path: "core/a.test.ts", text: 'testWithRedis("a", () => {},\n\t60_000,\n);' }],
		[{ path: "core/a.test.ts", text: 'test("a", () => {}, 0.5 * TEST_LIMIT_MS);' }],
		[{ path: "core/a.test.ts", text: "setDefaultTimeout(9_000);" }],
		[{ path: "core/a.test.ts", text: 'test.each([1])("a", () => {}, 30_000);' }],
	],
	good: [
		[{ path: "core/a.test.ts", text: 'test("a", async () => { await wait(30_000); });' }],
		[{ path: "core/a.test.ts", text: 'test("a", run);\nexpect(/a/.test(text, 1)).toBe(2);' }],
		[{ path: "core/a.test.ts", text: 'test("a", () => {}, 3 * TEST_LIMIT_MS);' }],
		[
			{
				path: "core/a.test.ts",
				text: 'const LIMIT_MS = 2 * TEST_LIMIT_MS;\ntest("a", () => {}, LIMIT_MS);',
			},
		],
		[{ path: "core/a.ts", text: 'test("a", () => {}, 30_000);' }],
	],
};

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

/** The argument after the function; null where the function is the last. */
function limitOf(code: string, start: number): string | null {
	let { args, end } = argumentsFrom(code, start);
	// `test.each(table)(name, run)`: what runs is in the second call.
	if (code[end] === "(") ({ args, end } = argumentsFrom(code, end + 1));
	const place = args.findIndex((arg) => /=>|^\s*(?:async\s+)?function\b/.test(arg));
	return place < 0 ? null : (args[place + 1] ?? null);
}

/** The arguments of a call whose opening bracket ends at `start`, and where the call ends. */
function argumentsFrom(code: string, start: number): { args: string[]; end: number } {
	const args: string[] = [];
	let depth = 0;
	let from = start;
	for (let at = start; at < code.length; at++) {
		const sign = code[at] ?? "";
		if ("([{".includes(sign)) depth++;
		if (depth === 0 && (sign === "," || sign === ")")) {
			args.push(code.slice(from, at).trim());
			from = at + 1;
		}
		if (!")]}".includes(sign)) continue;
		if (depth === 0) return { args: args.filter((arg) => arg !== ""), end: at + 1 };
		depth--;
	}
	return { args, end: code.length };
}

function isDerived(limit: string, code: string): boolean {
	const whole = /^(?:(?!0)[^*]+ \* )?TEST_LIMIT_MS$/;
	if (whole.test(limit)) return true;
	if (!/^\w+$/.test(limit)) return false;
	const value = new RegExp(`\\bconst ${limit} = ([^;]+);`).exec(code)?.[1];
	return value !== undefined && whole.test(value);
}
