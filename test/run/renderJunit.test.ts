import { expect, test } from "bun:test";
import { parseJunit } from "#test/run/parseJunit.ts";
import { renderJunit } from "#test/run/renderJunit.ts";
import type { TestCase } from "#test/run/TestCase.ts";

const cases: TestCase[] = [
	{
		name: "ING-01 <a> & \"b\" 'c'",
		classname: "x > y",
		file: "a.test.ts",
		timeSeconds: 0.5,
		outcome: "passed",
		detail: "",
	},
	{
		name: "fails",
		classname: "",
		file: "b.test.ts",
		timeSeconds: 0,
		outcome: "failed",
		detail: "line 1\nline <2> ]]>",
	},
	{
		name: "left out",
		classname: "",
		file: "a.test.ts",
		timeSeconds: 0,
		outcome: "skipped",
		detail: "no logs here",
	},
];

test("what was read can be read again from the merged report", () => {
	const again = parseJunit(renderJunit(cases));
	expect(again.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
		cases.toSorted((a, b) => a.name.localeCompare(b.name)),
	);
});

test("the totals stand at the top, and each file is one suite", () => {
	const xml = renderJunit(cases);
	expect(xml).toContain(
		'<testsuites name="tapeline" tests="3" failures="1" skipped="1" time="0.500">',
	);
	expect(xml.match(/<testsuite /g)).toHaveLength(2);
});

test("colours and control characters, which XML cannot hold, are left out", () => {
	const detail = "\u001b[31mred\u001b[0m \u0000\u0008 ok \ud800 \u{1f600}";
	const xml = renderJunit([{ ...cases[1], detail } as TestCase]);
	expect(xml).toContain(">red  ok  \u{1f600}</failure>");
});
