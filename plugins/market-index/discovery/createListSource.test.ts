import { expect, test } from "bun:test";
import fc from "fast-check";
import { interleave } from "#plugins/market-index/discovery/createListSource.ts";

test("interleaving keeps every item once and each list's order", () => {
	expect(interleave([[1, 2, 3], [], [4]])).toEqual([1, 4, 2, 3]);
	fc.assert(
		fc.property(fc.array(fc.array(fc.nat())), (lists) => {
			const tagged = lists.map((list, of) => list.map((_, place) => ({ of, place })));
			const mixed = interleave(tagged);
			expect(mixed).toHaveLength(lists.flat().length);
			const places = mixed.map(({ place }) => place);
			expect(places).toEqual([...places].sort((a, b) => a - b));
		}),
	);
});
