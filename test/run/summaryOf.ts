import type { TestCase } from "#test/run/TestCase.ts";

/** What is said at the end: each skip with its reason, each failure by name, the totals last. */
export function summaryOf(cases: readonly TestCase[]): { lines: string[]; ok: boolean } {
	const of = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome);
	const [passed, failed, skipped] = [of("passed"), of("failed"), of("skipped")];
	const lines = [
		...skipped.map((one) => `skipped  ${title(one)}: ${one.detail || "no reason was given"}`),
		...failed.map((one) => `FAILED   ${title(one)}`),
	];
	// Nothing having run is a failure: an empty glob must not look like a healthy product.
	if (passed.length + failed.length === 0) lines.push("FAILED   no test ran");
	lines.push(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
	return { lines, ok: failed.length === 0 && passed.length > 0 };
}

function title({ file, classname, name }: TestCase): string {
	return [file, classname, name].filter((part) => part !== "").join(" > ");
}
