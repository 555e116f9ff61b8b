import { afterAll, beforeAll } from "bun:test";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import { callCases } from "#test/conformance/provider/cases/callCases.ts";
import { clientCases } from "#test/conformance/provider/cases/clientCases.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: the provider is asked what its document offers and nothing else, no client uses up its
// minute, and a client's own mistakes have an answer.

let lab: ConformanceLab;
beforeAll(async () => {
	const only = ["copper-lanterns", "paper-moons", "far-shore", "ape-notes", "two-shores"];
	lab = await openConformanceLab({
		live: ["base"],
		world: { only: [...only, "zora-postcards", "kites-minting"] },
	});
	await lab.syncAll();
});
afterAll(() => lab?.close());

runCases(clientCases, () => lab);
runCases(callCases, () => lab);
