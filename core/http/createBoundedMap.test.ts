import { expect, test } from "bun:test";
import fc from "fast-check";
import { createBoundedMap } from "#core/http/createBoundedMap.ts";

test("what came first goes first, by number and by weight", () => {
	const map = createBoundedMap<string>({ countMax: 3, bytesMax: 10 });
	for (const key of ["a", "b", "c", "d"]) map.set(key, key);
	expect(["a", "b", "c", "d"].map(map.get)).toEqual([undefined, "b", "c", "d"]);
	map.weigh("b", "b", 6);
	map.weigh("d", "d", 4);
	expect(map.get("b")).toBe("b");
	map.weigh("c", "c", 1);
	expect(["b", "c", "d"].map(map.get)).toEqual([undefined, "c", "d"]);
});

test("what alone is too heavy is not held, and what was replaced weighs nothing", () => {
	const map = createBoundedMap<string>({ countMax: 3, bytesMax: 10 });
	map.set("a", "old");
	map.set("a", "new");
	map.weigh("a", "old", 9);
	map.set("b", "b");
	map.weigh("b", "b", 10);
	expect([map.get("a"), map.get("b")]).toEqual(["new", "b"]);
	map.weigh("b", "b", 11);
	expect(map.get("b")).toBeUndefined();
});

test("never holds more than it may, whatever is done to it", () => {
	const key = fc.constantFrom("a", "b", "c", "d", "e");
	const deed = fc.tuple(key, fc.option(fc.nat(12)));
	fc.assert(
		fc.property(fc.array(deed, { maxLength: 40 }), (deeds) => {
			const map = createBoundedMap<object>({ countMax: 3, bytesMax: 20 });
			const weighed = new Map<object, number>();
			for (const [at, bytes] of deeds) {
				const value = map.get(at);
				if (bytes === null || !value) map.set(at, {});
				else {
					weighed.set(value, bytes);
					map.weigh(at, value, bytes);
				}
				const held = ["a", "b", "c", "d", "e"].flatMap((one) => map.get(one) ?? []);
				const together = held.reduce((sum, one) => sum + (weighed.get(one) ?? 0), 0);
				expect(held.length).toBeLessThanOrEqual(3);
				expect(together).toBeLessThanOrEqual(20);
			}
		}),
	);
});
