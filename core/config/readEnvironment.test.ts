import { expect, test } from "bun:test";
import { readEnvironment } from "#core/config/readEnvironment.ts";

test("the environment is a copy: what is done to it does not reach the process", () => {
	const env = readEnvironment() as Record<string, string | undefined>;
	expect(env.PATH).toBe(process.env.PATH);
	env.TAPELINE_TEST_ONLY = "x";
	expect(process.env.TAPELINE_TEST_ONLY).toBeUndefined();
});
