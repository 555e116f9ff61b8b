import { expect, test } from "bun:test";
import fc from "fast-check";
import { redisKey } from "#core/redis/redisKey.ts";

const key = (name: string, kind = "limit") => redisKey({ deployment: "d1", kind, name });

test("different names have different keys, and one name has one", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
			expect(key(one) === key(other)).toBe(one === other);
		}),
	);
});

test("whatever the name, a key has exactly one hash tag, and keys of one name share it", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), (name) => {
			expect(key(name)).toMatch(/^tapeline:d1:limit:\{[0-9a-f]{32}\}$/);
			expect(key(name, "page").split("{")[1]).toBe(key(name).split("{")[1] ?? "");
		}),
	);
});

test("[SEC-07] a client's address cannot be read from its key", () => {
	expect(key("203.0.113.7")).not.toContain("203");
});
