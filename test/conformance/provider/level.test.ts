import { afterAll, beforeAll } from "bun:test";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import { levelCases } from "#test/conformance/provider/cases/eventCases.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: what the chain tells is not asked of the provider, and what both tell counts once.

let lab: ConformanceLab;
beforeAll(async () => {
	lab = await openConformanceLab({
		world: { only: ["copper-lanterns", "paper-moons"] },
		chains: "base",
		live: ["base"],
	});
	await lab.syncAll();
});
afterAll(() => lab?.close());

runCases(levelCases, () => lab);
