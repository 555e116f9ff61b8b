import { expect, test } from "bun:test";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { drawKnobs, drawSchedule } from "#test/sim/schedule/drawSchedule.ts";

function draw(seed: number) {
	const prng = createPrng(seed);
	const knobs = drawKnobs(prng);
	return { knobs, steps: drawSchedule(prng, knobs) };
}

test("the same seed draws the same settings and the same steps", () => {
	for (let seed = 1; seed <= 50; seed++) expect(draw(seed)).toEqual(draw(seed));
	expect(draw(1)).not.toEqual(draw(2));
});

test("every kind of step is drawn by at least one of the default seeds", () => {
	const kinds = new Set<string>();
	for (let seed = 1; seed <= 200; seed++) for (const { kind } of draw(seed).steps) kinds.add(kind);
	expect([...kinds].sort()).toEqual(
		["mine", "reorg", "flip", "rollback", "kill", "stop", "stall", "leap"]
			.concat(["down", "swap", "lag", "stale", "refuse"])
			.sort(),
	);
});
