// Writes and reads the reports of tests in JUnit's form.

/** One line of the report: a test, or a check such as the types. */
export type TestCase = {
	name: string;
	/** The `describe` it is in, or the group of checks. */
	classname: string;
	/** The file, from the root. */
	file: string;
	timeSeconds: number;
	outcome: "passed" | "failed" | "skipped";
	/** Why it failed or was skipped. */
	detail: string;
};

const CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
const CONTROLS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * Reads the report of `bun test --reporter=junit` (1.4.5): attributes are escaped, nothing is
 * CDATA.
 */
export function parseJunit(xml: string): TestCase[] {
	return [...xml.matchAll(CASE)].map(([, attributes = "", body = ""]) => {
		const failure = /<(?:failure|error)\b([^>]*?)(?:\/>|>([\s\S]*?)<\/(?:failure|error)>)/.exec(
			body,
		);
		const skipped = /<skipped\b([^>]*)/.exec(body);
		const failureText = failure?.[2]?.trim() || attributeOf(failure?.[1] ?? "", "message");
		return {
			name: unescaped(attributeOf(attributes, "name")),
			classname: unescaped(attributeOf(attributes, "classname")),
			file: unescaped(attributeOf(attributes, "file")),
			timeSeconds: Number(attributeOf(attributes, "time")) || 0,
			outcome: failure ? "failed" : skipped ? "skipped" : "passed",
			detail: unescaped(failure ? failureText : attributeOf(skipped?.[1] ?? "", "message")),
		};
	});
}

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

function attributeOf(attributes: string, name: string): string {
	return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}

function unescaped(text: string): string {
	return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
		if (name) return ENTITIES[name] ?? whole;
		const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
		return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
	});
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
