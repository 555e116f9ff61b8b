import { afterAll, beforeAll } from "bun:test";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import { sharedCases } from "#test/conformance/provider/cases/clientCases.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";
import type { TestService } from "#test/harness/startTestService.ts";

// Guarantee: one key's minute is one minute, however many processes share it.

/** Faster than the key allows: the service's own account of the minute is what stops it. */
const MS_PER_CALL = 251;

let lab: ConformanceLab;
let other: TestService;
beforeAll(async () => {
	lab = await openConformanceLab({
		live: ["base"],
		world: { only: ["copper-lanterns", "paper-moons", "mixed-money"] },
		chains: "base",
		msPerCall: MS_PER_CALL,
	});
	await lab.syncAll();
	other = await lab.another();
});
afterAll(() => lab?.close());

runCases(
	sharedCases(() => other),
	() => lab,
);
