import type { Rule } from "#test/tidy/Rule.ts";
import { clocks } from "#test/tidy/rules/clocks.ts";
import { crumbs } from "#test/tidy/rules/crumbs.ts";
import {
	fileLength,
	fileNames,
	leftovers,
	lineWidth,
	testsBeside,
} from "#test/tidy/rules/files.ts";
import { homes, settings, waysOut } from "#test/tidy/rules/homes.ts";
import { importCycles, importDirections, unusedExports } from "#test/tidy/rules/imports.ts";
import { moduleMocks, skippedTests, testLimits, twoKindsOfWrong } from "#test/tidy/rules/tests.ts";

/**
 * The house's rules that no linter has. What Biome can check (any, `!`, default exports, barrels,
 * functions above 70 lines, unused imports) is in `lint.json`, and `lint.test.ts` proves it is on.
 */
export const rules: readonly Rule[] = [
	importDirections,
	importCycles,
	homes,
	clocks,
	waysOut,
	settings,
	twoKindsOfWrong,
	moduleMocks,
	skippedTests,
	fileNames,
	fileLength,
	crumbs,
	lineWidth,
	leftovers,
	testLimits,
	testsBeside,
	unusedExports,
];
