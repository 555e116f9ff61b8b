import { afterAll, beforeAll } from "bun:test";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import { troubleCases } from "#test/conformance/provider/cases/hostileCases.ts";
import { refusalCases } from "#test/conformance/provider/cases/refusalCases.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: whatever a provider answers, figures stay right or become unknown, the log has a line,
// and everything is whole again once the provider is.

const ONLY = ["copper-lanterns", "far-shore", "paper-moons", "mixed-money", "kites-minting"];

let lab: ConformanceLab;
beforeAll(async () => {
	lab = await openConformanceLab({ live: ["base"], world: { only: ONLY, minor: 0 } });
	await lab.syncAll();
});
afterAll(() => lab?.close());

runCases(troubleCases, () => lab);
runCases(refusalCases, () => lab);
