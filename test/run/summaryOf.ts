// Summarises a run: skips with their reasons, failures, totals.

import type { FlakyTest } from "#test/run/flaky.ts";
import type { TestCase } from "#test/run/junit.ts";

const LINE_LENGTH_MAX = 160;

/** A line of a difference between two values, but not its totals (`- Expected  - 1`). */
const CHANGED = /^[-+] (?!Expected |Received )/;
const SAID = /^(Expected|Received)\b/;
const PLACE = /^at .*:\d+:\d+\)?$/;

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

/**
 * Picks at most so many lines of a failure's text that tell what happened: its first line, what was
 * expected and received (of a difference the lines that differ), and the place. Where none of these
 * is found, the lines that come first.
 */
export function failureLines(detail: string, max: number): string[] {
	const lines = Bun.stripANSI(detail)
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
	const [first, ...rest] = lines;
	if (first === undefined || max < 1) return [];
	const place = rest.find((line) => PLACE.test(line) && !line.includes("node_modules"));
	const telling = rest.filter((line) => CHANGED.test(line) || SAID.test(line));
	const others = rest.filter((line) => !PLACE.test(line));
	const between = telling.length > 0 ? telling : others;
	const placeCount = place !== undefined && max > 2 ? 1 : 0;
	const picked = [first, ...between.slice(0, max - 1 - placeCount)];
	if (place !== undefined && placeCount > 0) picked.push(place);
	return picked.map(shortened);
}

function title({ file, classname, name }: TestCase): string {
	return [file, classname, name].filter((part) => part !== "").join(" > ");
}

function shortened(line: string): string {
	return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX - 1)}…` : line;
}
