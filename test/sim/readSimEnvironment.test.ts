import { expect, test } from "bun:test";
import { readSimEnvironment } from "#test/sim/runSeed.ts";

test("two hundred seeds are used by default, the same each time", () => {
	const { seeds, isWhole } = readSimEnvironment({}, 77);
	expect([seeds.length, seeds[0], seeds.at(-1), isWhole]).toEqual([200, 1, 200, true]);
});

test("the long run uses new seeds each time, and a configurable number", () => {
	expect(readSimEnvironment({ PROVE: "1" }, 77).seeds.slice(0, 2)).toEqual([77, 78]);
	expect(readSimEnvironment({ PROVE: "1" }, 77).seeds).toHaveLength(2_000);
	expect(readSimEnvironment({ PROVE: "1", SIM_SEEDS: "9" }, 77).seeds).toHaveLength(9);
});

test("a single seed is repeated as often as requested", () => {
	const { seeds, isWhole, knobs } = readSimEnvironment(
		{ SIM_SEED: "36", SIM_TIMES: "3", SIM_KNOBS: '{"reorgRate":0}' },
		77,
	);
	expect([seeds, isWhole, knobs]).toEqual([[36, 36, 36], false, { reorgRate: 0 }]);
});
