import { describe, expect, test } from "bun:test";
import type { Problem, Sample } from "#test/tidy/Rule.ts";
import { projectFiles, readSourceFile } from "#test/tidy/readSourceFile.ts";
import { rules } from "#test/tidy/rules.ts";

/** Enough to begin with; nobody reads the hundredth. */
const PROBLEMS_SHOWN_MAX = 40;

const files = await projectFiles();

describe("the rules of style", () => {
	test("the rules find source files to check", () => {
		expect(files.length).toBeGreaterThan(20);
	});

	for (const rule of rules) {
		test(`${rule.name}: ${rule.why}`, () => {
			expect(rule.check(files).slice(0, PROBLEMS_SHOWN_MAX).map(line)).toEqual([]);
		});
	}
});

describe("every rule can fail", () => {
	for (const rule of rules) {
		test(rule.name, () => {
			expect(rule.bad.length).toBeGreaterThan(0);
			for (const sample of rule.bad) {
				expect({ sample, problems: rule.check(read(sample)).length }).not.toMatchObject({
					problems: 0,
				});
			}
			for (const sample of rule.good) {
				expect({ sample, problems: rule.check(read(sample)) }).toMatchObject({ problems: [] });
			}
		});
	}
});

function read(samples: readonly Sample[]) {
	return samples.map(({ path, text }) => readSourceFile(path, text));
}

function line({ path, line, message }: Problem): string {
	return `${path}${line === undefined ? "" : `:${line}`}: ${message}`;
}
