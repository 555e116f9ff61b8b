import { expect, test } from "bun:test";
import fc from "fast-check";
import { splitByUnit } from "#core/money/splitByUnit.ts";

test("[ING-12, ING-13] the rows of a bundle sum to its price, and only the first carries a remainder", () => {
	fc.assert(
		fc.property(
			fc.bigInt({ min: 0n, max: 2n ** 256n }),
			fc.array(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), { minLength: 1, maxLength: 30 }),
			(total, quantities) => {
				const rows = splitByUnit(total, quantities);
				const units = quantities.reduce((sum, quantity) => sum + quantity, 0n);
				expect(rows.reduce((sum, row) => sum + row, 0n)).toBe(total);
				for (const [index, quantity] of quantities.entries()) {
					if (index > 0) expect(rows[index]).toBe((total / units) * quantity);
				}
			},
		),
	);
});

test("[ING-12, ING-13] ten for three items is four, three, three", () => {
	expect(splitByUnit(10n, [1n, 1n, 1n])).toEqual([4n, 3n, 3n]);
	expect(splitByUnit(11n, [2n, 3n])).toEqual([5n, 6n]);
	expect(splitByUnit(5n, [])).toEqual([]);
	expect(splitByUnit(5n, [0n])).toEqual([0n]);
});
