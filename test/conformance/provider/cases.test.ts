import { expect, test } from "bun:test";
import { bookCases } from "#test/conformance/provider/cases/bookCases.ts";
import { busyCases } from "#test/conformance/provider/cases/busyCases.ts";
import { callCases } from "#test/conformance/provider/cases/callCases.ts";
import { clientCases } from "#test/conformance/provider/cases/clientCases.ts";
import { eventCases } from "#test/conformance/provider/cases/eventCases.ts";
import { hostileCases } from "#test/conformance/provider/cases/hostileCases.ts";
import { levelCases } from "#test/conformance/provider/cases/levelCases.ts";
import { marketCases } from "#test/conformance/provider/cases/marketCases.ts";
import { refusalCases } from "#test/conformance/provider/cases/refusalCases.ts";
import { sharedCases } from "#test/conformance/provider/cases/sharedCases.ts";
import { slowCases } from "#test/conformance/provider/cases/slowCases.ts";
import { streamCases } from "#test/conformance/provider/cases/streamCases.ts";
import { troubleCases } from "#test/conformance/provider/cases/troubleCases.ts";
import { twinCases } from "#test/conformance/provider/cases/twinCases.ts";
import { unknownCases } from "#test/conformance/provider/cases/unknownCases.ts";

// Guarantee: a case's number names one case, so that a report of a number can be looked up.

const CASES_MIN = 80;

test("numbers and names are each given once, and there are at least 80 cases", () => {
	const shared = sharedCases(() => {
		throw new Error("no case is run here");
	});
	const all = [
		...marketCases,
		...eventCases,
		...twinCases,
		...bookCases,
		...unknownCases,
		...hostileCases,
		...troubleCases,
		...refusalCases,
		...busyCases,
		...callCases,
		...clientCases,
		...streamCases,
		...levelCases,
		...shared,
		...slowCases,
	];
	expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
	expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
	expect(all.length).toBeGreaterThanOrEqual(CASES_MIN);
});
