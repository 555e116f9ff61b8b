import { expect, test } from "bun:test";
import { engineEnv } from "#api/launch/launch.ts";

test("the engine's options are added to the environment once, and the operator's own win", () => {
	const first = engineEnv({ PATH: "/bin", BUN_JSC_forceRAMSize: "1" }) ?? {};
	expect(first).toMatchObject({ PATH: "/bin", BUN_JSC_forceRAMSize: "1" });
	expect(first["BUN_JSC_thresholdForOptimizeAfterWarmUp"]).toBeDefined();
	expect(engineEnv(first)).toBeNull();
});

test("an engine version for which the options were not tested gets no options", () => {
	expect(engineEnv({}, "1.4.6")).toBeNull();
});
