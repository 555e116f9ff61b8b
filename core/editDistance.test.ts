import { expect, test } from "bun:test";
import fc from "fast-check";
import { editDistance } from "#core/editDistance.ts";

test("a letter too many, too few, wrong or swapped is one step", () => {
	for (const other of ["chan", "chainn", "chaim", "chian", "hain"]) {
		expect([other, editDistance("chain", other)]).toEqual([other, 1]);
	}
	expect(editDistance("chain", "chain")).toBe(0);
	expect(editDistance("chain", "chains12")).toBe(Infinity);
});

test("the way back is as long, and no shorter than the lengths differ", () => {
	const word = fc.stringMatching(/^[a-d]{0,8}$/);
	fc.assert(
		fc.property(word, word, (a, b) => {
			const distance = editDistance(a, b);
			expect(distance).toBe(editDistance(b, a));
			expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
			expect(distance === 0).toBe(a === b);
		}),
	);
});
