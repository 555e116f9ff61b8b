import { expect, test } from "bun:test";
import fc from "fast-check";
import { TEST_SEED } from "#test/harness/testSeed.ts";

test("every property test starts from the seed of the run", () => {
	expect(fc.readConfigureGlobal().seed).toBe(TEST_SEED);
	const drawn: number[][] = [[], []];
	for (const numbers of drawn) {
		fc.assert(fc.property(fc.nat(), (number) => void numbers.push(number)));
	}
	expect(drawn[0]).toEqual(drawn[1] ?? []);
});
