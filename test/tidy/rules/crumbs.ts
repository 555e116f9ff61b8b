import { basename, dirname } from "node:path";
import { isTestFile, type Rule, type SourceFile } from "#test/tidy/Rule.ts";

/** A shorter file that only its neighbour imports belongs to that neighbour. */
const LINES_MAX = 60;

/** Files of this length or shorter hold no idea of their own. */
const TINY_LINES_MAX = 25;

/** How many tiny files the product may have. It may only fall. */
const TINY_FILES_MAX = 25;

/** The same question has the same file in every plugin, however short its answer is. */
const ROLES = /(^|\/)(contract|model|plugin|faults|limits)\.ts$/;

/** Started by name, run in a browser, or compiled: each stays a file of its own. */
const STANDS_ALONE = /(^|\/)(cli|launch|web|abi|migrations)\//;

export const crumbs: Rule = {
	name: "crumbs",
	why: "a file is one idea: its reader should not have to collect it from crumbs",
	check(files) {
		const product = files.filter(({ path }) => !isTestFile(path));
		const tests = files.filter(({ path }) => /\.test\.tsx?$/.test(path));
		const candidates = product.filter((file) => {
			return !ROLES.test(file.path) && !STANDS_ALONE.test(file.path) && !isProgram(file);
		});
		const tiny = candidates.filter((file) => lengthOf(file) <= TINY_LINES_MAX);
		const alone = candidates.flatMap((file) => {
			if (lengthOf(file) > LINES_MAX || hasTest(file, tests)) return [];
			const importers = product.filter(({ imports }) => {
				return imports.some(({ target }) => target === file.path);
			});
			const [only, ...others] = importers;
			if (!only || others.length > 0 || dirname(only.path) !== dirname(file.path)) return [];
			if (lengthOf(only) + lengthOf(file) > JOINED_LINES_MAX) return [];
			return [{ path: file.path, message: `belongs into ${only.path}, which alone imports it` }];
		});
		if (tiny.length <= TINY_FILES_MAX) return alone;
		const message = `is one of ${tiny.length} files of at most ${TINY_LINES_MAX} lines; ${TINY_FILES_MAX} may be`;
		return [...alone, ...tiny.map(({ path }) => ({ path, message }))];
	},
	bad: [
		[
			{ path: "core/a/half.ts", text: "export function half() {}" },
			{ path: "core/a/sum.ts", text: 'import { half } from "#core/a/half.ts";' },
		],
		Array.from({ length: TINY_FILES_MAX + 1 }, (_, at) => {
			return { path: `core/a${at}.ts`, text: "export const a = 1;" };
		}),
	],
	good: [
		[
			{ path: "core/a/half.ts", text: "export function half() {}" },
			{ path: "core/a/half.test.ts", text: 'import { half } from "#core/a/half.ts";' },
			{ path: "core/a/sum.ts", text: 'import { half } from "#core/a/half.ts";' },
		],
		[
			{ path: "core/a/half.ts", text: "export function half() {}" },
			{ path: "core/a/sum.ts", text: 'import { half } from "#core/a/half.ts";' },
			{ path: "core/b.ts", text: 'import { half } from "#core/a/half.ts";' },
		],
		[
			{ path: "plugins/a/limits.ts", text: "export const A_MAX = 1;" },
			{ path: "plugins/a/plugin.ts", text: 'import { A_MAX } from "#plugins/a/limits.ts";' },
		],
		[
			{ path: "plugins/a/abi/probe.ts", text: "export const probe = 1;" },
			{ path: "plugins/a/abi/use.ts", text: 'import { probe } from "#plugins/a/abi/probe.ts";' },
		],
	],
};

/** What the two would have together at the most: more is two ideas again. */
const JOINED_LINES_MAX = 300;

function lengthOf({ text }: SourceFile): number {
	return text.trimEnd().split("\n").length;
}

function hasTest({ path }: SourceFile, tests: readonly SourceFile[]): boolean {
	const name = basename(path).replace(/\.tsx?$/, "");
	return tests.some((test) => {
		return dirname(test.path) === dirname(path) && basename(test.path).startsWith(`${name}.`);
	});
}

/** Started by itself: it runs, and exports nothing. */
function isProgram({ exports }: SourceFile): boolean {
	return exports.length === 0;
}
