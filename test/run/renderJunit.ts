import type { TestCase } from "#test/run/TestCase.ts";

/** One report of the whole run, one suite a file, in the order things ran. */
export function renderJunit(cases: readonly TestCase[]): string {
	const suites = Map.groupBy(cases, ({ file }) => file);
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites name="tapeline" ${totals(cases)}>`,
		...[...suites].flatMap(([file, inFile]) => [
			`  <testsuite name="${escaped(file)}" file="${escaped(file)}" ${totals(inFile)}>`,
			...inFile.map(renderCase),
			"  </testsuite>",
		]),
		"</testsuites>",
		"",
	].join("\n");
}

function renderCase({ name, classname, file, timeSeconds, outcome, detail }: TestCase): string {
	const attributes = [
		`name="${escaped(name)}"`,
		`classname="${escaped(classname)}"`,
		`file="${escaped(file)}"`,
		`time="${timeSeconds.toFixed(6)}"`,
	].join(" ");
	if (outcome === "passed") return `    <testcase ${attributes} />`;
	const inside =
		outcome === "skipped"
			? `<skipped message="${escaped(detail)}" />`
			: `<failure message="${escaped(detail.split("\n")[0] ?? "")}">${escaped(detail)}</failure>`;
	return `    <testcase ${attributes}>${inside}</testcase>`;
}

function totals(cases: readonly TestCase[]): string {
	const count = (outcome: TestCase["outcome"]) =>
		cases.filter((one) => one.outcome === outcome).length;
	const seconds = cases.reduce((sum, { timeSeconds }) => sum + timeSeconds, 0);
	return [
		`tests="${cases.length}"`,
		`failures="${count("failed")}"`,
		`skipped="${count("skipped")}"`,
		`time="${seconds.toFixed(3)}"`,
	].join(" ");
}

/** XML has no place for control characters, escaped or not, and failures are full of colours. */
function escaped(text: string): string {
	return text
		.replace(COLOURS, "")
		.replace(CONTROLS, "")
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;")
		.replaceAll("\n", "&#10;");
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
const CONTROLS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
