import { expect, test } from "bun:test";
import fc from "fast-check";
import { interleave } from "#plugins/market-index/discovery/createListSource.ts";

test("every item once, each list in its order, and no list waits for another's end", () => {
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
