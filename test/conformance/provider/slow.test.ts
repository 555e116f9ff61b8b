import { afterAll, beforeAll } from "bun:test";
import { slowCases } from "#test/conformance/provider/cases/bookCases.ts";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: a provider that answers after 9 s is waited for, and by nobody who need not.

let lab: ConformanceLab;
beforeAll(async () => {
	const only = ["copper-lanterns", "paper-moons", "mixed-money"];
	lab = await openConformanceLab({ live: ["base"], world: { only }, chains: "base" });
	await lab.syncAll();
});
afterAll(() => lab?.close());

runCases(slowCases, () => lab);
