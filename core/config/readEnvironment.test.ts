import { expect, test } from "bun:test";
import { readEnvironment } from "#core/config/readEnvironment.ts";

test("readEnvironment returns a copy: changing it does not change the process's environment", () => {
	const env = readEnvironment() as Record<string, string | undefined>;
	expect(env.PATH).toBe(process.env.PATH);
	env.TAPELINE_TEST_ONLY = "x";
	expect(process.env.TAPELINE_TEST_ONLY).toBeUndefined();
});
