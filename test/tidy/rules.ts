import type { Rule } from "#test/tidy/Rule.ts";
import { fileLength } from "#test/tidy/rules/fileLength.ts";
import { fileNames } from "#test/tidy/rules/fileNames.ts";
import { homes } from "#test/tidy/rules/homes.ts";
import { importCycles } from "#test/tidy/rules/importCycles.ts";
import { importDirections } from "#test/tidy/rules/importDirections.ts";
import { leftovers } from "#test/tidy/rules/leftovers.ts";
import { lineWidth } from "#test/tidy/rules/lineWidth.ts";
import { moduleMocks } from "#test/tidy/rules/moduleMocks.ts";
import { skippedTests } from "#test/tidy/rules/skippedTests.ts";
import { testLimits } from "#test/tidy/rules/testLimits.ts";
import { testsBeside } from "#test/tidy/rules/testsBeside.ts";
import { twoKindsOfWrong } from "#test/tidy/rules/twoKindsOfWrong.ts";
import { unusedExports } from "#test/tidy/rules/unusedExports.ts";
import { waysOut } from "#test/tidy/rules/waysOut.ts";

/**
 * The house's rules that no linter has. What Biome can check (any, `!`, default exports, barrels,
 * functions above 70 lines, unused imports) is in `lint.json`, and `lint.test.ts` proves it is on.
 */
export const rules: readonly Rule[] = [
	importDirections,
	importCycles,
	homes,
	waysOut,
	twoKindsOfWrong,
	moduleMocks,
	skippedTests,
	fileNames,
	fileLength,
	lineWidth,
	leftovers,
	testLimits,
	testsBeside,
	unusedExports,
];
