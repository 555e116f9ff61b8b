import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson } from "#core/chain/rpc/canonicalJson.ts";

test("what differs in the order of keys alone is the same text, and nothing else is", () => {
	expect(canonicalJson({ a: [{ c: 1, b: null }], d: "x" })).toBe(
		canonicalJson({ d: "x", a: [{ b: null, c: 1 }] }),
	);
	expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
	fc.assert(
		fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
			expect(JSON.parse(canonicalJson(one))).toEqual(JSON.parse(JSON.stringify(one)));
			expect(canonicalJson(one) === canonicalJson(other)).toBe(
				Bun.deepEquals(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))),
			);
		}),
	);
});
