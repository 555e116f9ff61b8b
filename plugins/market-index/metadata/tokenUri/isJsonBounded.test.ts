import { expect, test } from "bun:test";
import fc from "fast-check";
import { isJsonBounded } from "#plugins/market-index/metadata/tokenUri/isJsonBounded.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const list = (values: number) => JSON.stringify(Array(values).fill(0));

test("[SEC-05] a text that is nested without end, or has too many values, is not parsed", () => {
	expect(isJsonBounded(nested(64))).toBe(true);
	expect(isJsonBounded(nested(65))).toBe(false);
	expect(isJsonBounded("[".repeat(1_000_000))).toBe(false);
	expect(isJsonBounded('{"a":'.repeat(65))).toBe(false);
	expect(isJsonBounded(list(20_001))).toBe(true);
	expect(isJsonBounded(list(20_002))).toBe(false);
});

test("brackets and commas within texts are texts", () => {
	const texts = ["[".repeat(100), ",".repeat(50_000), '\\"['.repeat(100), "\\", '"', '\\\\",['];
	for (const text of texts) expect(isJsonBounded(JSON.stringify([text, text]))).toBe(true);
	for (const open of ['"', '"[', '"\\', '["\\"']) expect(isJsonBounded(open)).toBe(true);
});

test("whatever is small and shallow is parsed", () => {
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
			expect(isJsonBounded(JSON.stringify(value))).toBe(true);
		}),
	);
});
