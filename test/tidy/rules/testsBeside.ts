import { basename, dirname } from "node:path";
import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";
import type { SourceFile } from "#test/tidy/SourceFile.ts";

/**
 * The aim is 0.9. It is lower because part of the code is proven end to end; raise it whenever the
 * share has risen, never lower it.
 */
const SHARE_MIN = 0.6;

/** Wiring, declarations and statements are proven by what runs through them. */
const NOT_LOGIC =
	/(^|\/)(contract|plugin|schema|routes|faults|limits)\.ts$|(^|\/)(abi|sql|migrations|cli|web)\//;

export const testsBeside: Rule = {
	name: "tests-beside",
	why: "the next person looks for the guarantee of a file beside that file",
	check: (files) => {
		const logic = files.filter(isLogic);
		const tests = files.filter(({ path }) => /\.test\.tsx?$/.test(path));
		const without = logic.filter(({ path }) => !tests.some((test) => isTestOf(test, path)));
		const share = 1 - without.length / Math.max(logic.length, 1);
		if (share >= SHARE_MIN) return [];
		return without.map(({ path }) => ({
			path,
			message: `has no test beside it, as only ${percent(share)} have; ${percent(SHARE_MIN)} must`,
		}));
	},
	bad: [
		[
			{ path: "core/a.ts", text: "export function a() {}" },
			{ path: "core/b.ts", text: "export function b() {}" },
			{ path: "core/b.test.ts", text: "" },
		],
	],
	good: [
		[
			{ path: "core/a.ts", text: "export function a() {}" },
			{ path: "core/a.test.ts", text: "" },
			{ path: "core/A.ts", text: "export type A = 1;" },
			{ path: "plugins/a/faults.ts", text: "export const fault = {};" },
		],
		[
			{ path: "core/a/inner.ts", text: "export function inner() {}" },
			{ path: "core/a/outer.ts", text: "export function outer() {}" },
			{ path: "core/a/outer.test.ts", text: 'import { inner } from "#core/a/inner.ts";' },
		],
		[
			{ path: "plugins/a/routes/post-buy/route.ts", text: "export const route = 1;" },
			{ path: "plugins/a/routes/post-buy/202.test.ts", text: "" },
		],
	],
};

/** Files that only declare types or constants decide nothing. */
function isLogic({ path, code, exports }: SourceFile): boolean {
	const decides = /\bfunction\b|=>/.test(code);
	return (
		!isTestFile(path) &&
		!NOT_LOGIC.test(path) &&
		decides &&
		exports.some(({ kind }) => kind === "value")
	);
}

/** In the same folder, and either named like the file or calling it directly. */
function isTestOf(test: SourceFile, path: string): boolean {
	if (dirname(test.path) !== dirname(path)) return false;
	const name = basename(path).replace(/\.tsx?$/, "");
	if (name === "route" || basename(test.path).startsWith(`${name}.`)) return true;
	return test.imports.some(({ target, typeOnly }) => target === path && !typeOnly);
}

function percent(share: number): string {
	return `${Math.floor(share * 100)} %`;
}
