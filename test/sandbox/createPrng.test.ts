import { expect, test } from "bun:test";
import { createPrng } from "./createPrng.ts";

const draw = (seed: number, n = 1_000): number[] => {
	const prng = createPrng(seed);
	return Array.from({ length: n }, () => prng.next());
};

test("the same seed gives the same sequence, and another seed another one", () => {
	expect(draw(7)).toEqual(draw(7));
	expect(draw(7)).not.toEqual(draw(8));
});

test("a sequence continues from its saved state", () => {
	const prng = createPrng(7);
	prng.next();
	expect(createPrng(prng.state()).next()).toBe(draw(7, 2)[1] ?? -1);
});

test("random counts and deviations have about the expected mean", () => {
	const prng = createPrng(7);
	const counts = Array.from({ length: 20_000 }, () => prng.count(0.75));
	const gauss = Array.from({ length: 20_000 }, () => prng.gauss());
	const mean = (of: number[]): number => of.reduce((sum, x) => sum + x, 0) / of.length;
	expect(mean(counts)).toBeCloseTo(0.75, 1);
	expect(mean(gauss)).toBeCloseTo(0, 1);
	expect(mean(gauss.map((x) => x * x))).toBeCloseTo(1, 1);
});
