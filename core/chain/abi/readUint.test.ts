import { expect, test } from "bun:test";
import fc from "fast-check";
import { readUint } from "#core/chain/abi/readUint.ts";

test("[ING-12] every word is read exactly, whatever its size and its place", () => {
	const edge = fc.constantFrom(0n, 48n, 64n, 128n, 255n).map((bits) => 2n ** bits);
	const near = fc.tuple(edge, fc.constantFrom(-1n, 0n, 1n)).map(([value, by]) => value + by);
	const any = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
	fc.assert(
		fc.property(fc.oneof(near, any), fc.nat({ max: 40 }), (value, at) => {
			const word = value.toString(16).padStart(64, "0");
			const bytes = Buffer.from(`${"ff".repeat(at)}${word}ff`, "hex");
			expect(readUint(bytes, at)).toBe(value);
		}),
	);
});
