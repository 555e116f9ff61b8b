import { describe, expect, test } from "bun:test";
import { parseJunit, renderJunit, type TestCase } from "#test/run/junit.ts";

describe("parseJunit", () => {
	// As bun 1.4.5 writes it.
	const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" assertions="2" failures="1" skipped="1" time="0.01">
  <testsuite name="a.test.ts" file="a.test.ts" tests="4" time="0.002" hostname="vm">
    <testsuite name="grp" file="a.test.ts" line="2" tests="2" hostname="vm">
      <testcase name="one &lt;x&gt; &amp; &quot;y&quot;" classname="grp" time="0.000169" file="a.test.ts" line="2" assertions="1" />
      <testcase name="left out" classname="grp" time="0" file="a.test.ts" line="2" assertions="0">
        <skipped />
      </testcase>
      <testcase name="to do" classname="grp" time="0" file="a.test.ts" line="2" assertions="0">
        <skipped message="TODO" />
      </testcase>
    </testsuite>
    <testcase name="fails" classname="" time="0.000397" file="a.test.ts" line="4" assertions="1">
      <failure type="AssertionError" message="expected&#10;Received: 1">AssertionError: expected&#10;   at a.test.ts:4:30&#10;</failure>
    </testcase>
  </testsuite>
</testsuites>`;

	test("every case is read with its result", () => {
		expect(parseJunit(report)).toEqual([
			{
				name: 'one <x> & "y"',
				classname: "grp",
				file: "a.test.ts",
				timeSeconds: 0.000169,
				outcome: "passed",
				detail: "",
			},
			{
				name: "left out",
				classname: "grp",
				file: "a.test.ts",
				timeSeconds: 0,
				outcome: "skipped",
				detail: "",
			},
			{
				name: "to do",
				classname: "grp",
				file: "a.test.ts",
				timeSeconds: 0,
				outcome: "skipped",
				detail: "TODO",
			},
			{
				name: "fails",
				classname: "",
				file: "a.test.ts",
				timeSeconds: 0.000397,
				outcome: "failed",
				detail: "AssertionError: expected\n   at a.test.ts:4:30\n",
			},
		]);
	});

	test("a missing or incomplete report has no cases", () => {
		expect(parseJunit("")).toEqual([]);
		expect(parseJunit('<testsuites><testcase name="a"')).toEqual([]);
	});
});

describe("renderJunit", () => {
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

	test("a merged report can be parsed again", () => {
		const again = parseJunit(renderJunit(cases));
		expect(again.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
			cases.toSorted((a, b) => a.name.localeCompare(b.name)),
		);
	});

	test("the totals are at the top, and each file is one suite", () => {
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
});
