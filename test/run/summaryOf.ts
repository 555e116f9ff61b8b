import { failureLines } from "#test/run/failureLines.ts";
import type { FlakyTest } from "#test/run/giveSecondChance.ts";
import type { TestCase } from "#test/run/TestCase.ts";

/** Who sees only the end of the output sees so many lines: all that is said of failures fits. */
const FAILURE_LINES_MAX = 38;
/** Of one failure, beside its name. */
const LINES_OF_ONE_MAX = 6;

/**
 * Returns what is said at the end: each skip with its reason, each failure by name and with what
 * happened, the totals, and under them the tests that passed only at their second try. Of many
 * failures fewer lines each are shown; the report has all of them.
 */
export function summaryOf(
	cases: readonly TestCase[],
	flaky: readonly FlakyTest[] = [],
): { lines: string[]; ok: boolean } {
	const of = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome);
	const [passed, failed, skipped] = [of("passed"), of("failed"), of("skipped")];
	const free = FAILURE_LINES_MAX - flaky.length;
	const each = Math.floor(free / Math.max(1, failed.length)) - 1;
	const shown = Math.max(0, Math.min(LINES_OF_ONE_MAX, each));
	const lines = [
		...skipped.map((one) => `skipped  ${title(one)}: ${one.detail || "no reason was given"}`),
		...failed.flatMap((one) => [
			`FAILED   ${title(one)}`,
			...failureLines(one.detail, shown).map((line) => `           ${line}`),
		]),
	];
	// Nothing having run is a failure: an empty glob must not look like a healthy product.
	if (passed.length + failed.length === 0) lines.push("FAILED   no test ran");
	lines.push(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
	lines.push(...flaky.map(({ file, test }) => `flaky: ${file} — ${test}`));
	return { lines, ok: failed.length === 0 && passed.length > 0 };
}

function title({ file, classname, name }: TestCase): string {
	return [file, classname, name].filter((part) => part !== "").join(" > ");
}
