import { expect, test } from "bun:test";
import fc from "fast-check";
import { readSmallUint } from "#core/chain/abi/readSmallUint.ts";

test("[ING-12] a word is read exactly below 2^48 and refused from there on", () => {
	fc.assert(
		fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat({ max: 40 }), (value, at) => {
			const word = value.toString(16).padStart(64, "0");
			const data = Buffer.from(`${"ff".repeat(at)}${word}`, "hex");
			expect(readSmallUint(data, at)).toBe(value < 2n ** 48n ? Number(value) : null);
			expect(readSmallUint(data, at + 1)).toBeNull();
		}),
	);
	for (const value of [2n ** 48n - 1n, 2n ** 48n, 2n ** 255n]) {
		const read = readSmallUint(Buffer.from(value.toString(16).padStart(64, "0"), "hex"), 0);
		expect(read).toBe(value < 2n ** 48n ? Number(value) : null);
	}
	expect(readSmallUint(Buffer.alloc(0), 2 ** 47)).toBeNull();
});
