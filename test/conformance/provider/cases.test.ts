import { expect, test } from "bun:test";
import { bookCases, slowCases, twinCases } from "#test/conformance/provider/cases/bookCases.ts";
import { busyCases } from "#test/conformance/provider/cases/busyCases.ts";
import { callCases } from "#test/conformance/provider/cases/callCases.ts";
import { clientCases, sharedCases } from "#test/conformance/provider/cases/clientCases.ts";
import { eventCases, levelCases } from "#test/conformance/provider/cases/eventCases.ts";
import { hostileCases, troubleCases } from "#test/conformance/provider/cases/hostileCases.ts";
import { marketCases } from "#test/conformance/provider/cases/marketCases.ts";
import { refusalCases } from "#test/conformance/provider/cases/refusalCases.ts";
import { streamCases } from "#test/conformance/provider/cases/streamCases.ts";
import { unknownCases } from "#test/conformance/provider/cases/unknownCases.ts";

// Guarantee: a case's number names one case, so that a report of a number can be looked up.

const CASES_MIN = 80;

test("each number and name is used once, and there are at least 80 cases", () => {
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
