import { afterAll, beforeAll } from "bun:test";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import { streamCases } from "#test/conformance/provider/cases/streamCases.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: what the provider's stream pushes is stored once, whatever comes with it and however
// much of it.

let lab: ConformanceLab;
beforeAll(async () => {
	lab = await openConformanceLab({
		live: ["base"],
		world: { only: ["copper-lanterns", "far-shore"] },
		chains: "base,ethereum",
		env: { PROVIDER_STREAM_ENABLED: "true" },
	});
	await lab.syncAll();
});
afterAll(() => lab?.close());

runCases(streamCases, () => lab);
