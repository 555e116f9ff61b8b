import { expect, test } from "bun:test";
import fc from "fast-check";
import { bytesToHex } from "viem";
import { hexOf } from "#core/chain/Hex.ts";

test("hexOf writes bytes as viem does, also a part of a larger buffer", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (bytes, from) => {
			expect(hexOf(bytes)).toBe(bytesToHex(bytes));
			expect(hexOf(bytes.subarray(from))).toBe(bytesToHex(bytes.subarray(from)));
		}),
	);
});
