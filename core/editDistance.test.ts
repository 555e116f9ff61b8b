import { expect, test } from "bun:test";
import fc from "fast-check";
import { editDistance } from "#core/editDistance.ts";

test("a letter that is added, missing, wrong or swapped has distance one", () => {
	for (const other of ["chan", "chainn", "chaim", "chian", "hain"]) {
		expect([other, editDistance("chain", other)]).toEqual([other, 1]);
	}
	expect(editDistance("chain", "chain")).toBe(0);
	expect(editDistance("chain", "chains12")).toBe(Infinity);
});

test("the distance is symmetric, and at least the difference of the lengths", () => {
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
