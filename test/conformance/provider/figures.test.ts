import { afterAll, beforeAll } from "bun:test";
import { bookCases, twinCases } from "#test/conformance/provider/cases/bookCases.ts";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import { eventCases } from "#test/conformance/provider/cases/eventCases.ts";
import { hostileCases } from "#test/conformance/provider/cases/hostileCases.ts";
import { marketCases } from "#test/conformance/provider/cases/marketCases.ts";
import { unknownCases } from "#test/conformance/provider/cases/unknownCases.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: beside a provider that was written from its published document alone, every figure is
// the one that its answers make, or unknown.

let lab: ConformanceLab;
beforeAll(async () => {
	lab = await openConformanceLab({ live: ["base"] });
	await lab.syncAll();
});
afterAll(() => lab?.close());

// Each takes from the minute's calls and moves the clock: their order is that of their numbers.
const figureCases = [...marketCases, ...eventCases, ...twinCases, ...bookCases];
runCases(
	figureCases.sort((one, other) => one.number - other.number),
	() => lab,
);
runCases(unknownCases, () => lab);
runCases(hostileCases, () => lab);
