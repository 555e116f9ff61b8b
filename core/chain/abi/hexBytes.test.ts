import { expect, test } from "bun:test";
import fc from "fast-check";
import { hexBytes } from "#core/chain/abi/hexBytes.ts";

test("[ING-12] whole bytes of hex are read, anything else is none", () => {
	expect(hexBytes("0x")?.length).toBe(0);
	expect(hexBytes("0xAbCd")).toEqual(Buffer.from([0xab, 0xcd]));
	for (const text of ["", "0", "0x0", "0xzz", "abcd", "0X12", "0x12 ", "0x12\n", "0x1", "0xÿÿ"]) {
		expect(hexBytes(text)).toBeNull();
	}
});

test("[ING-12] one digit that is none spoils the text, wherever it stands and however long it is", () => {
	const digit = fc.constantFrom(..."0123456789abcdefABCDEF");
	const other = fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 });
	const cases = fc.tuple(fc.array(digit, { maxLength: 9_000 }), fc.nat(), other);
	fc.assert(
		fc.property(cases, ([digits, at, stranger]) => {
			const text = `0x${digits.join("")}`;
			const isHex = digits.length % 2 === 0;
			const bytes = hexBytes(text);
			expect(bytes?.toString("hex") ?? null).toBe(isHex ? digits.join("").toLowerCase() : null);
			if (digits.length === 0) return;
			const spoilt = digits.toSpliced(at % digits.length, 1, stranger).join("");
			const isStill = /^(?:[0-9a-fA-F]{2})*$/.test(spoilt);
			expect(hexBytes(`0x${spoilt}`) !== null).toBe(isStill);
		}),
	);
});

test("[ING-12] megabytes of hex are read without trouble", () => {
	expect(hexBytes(`0x${"ab".repeat(8_000_000)}`)?.length).toBe(8_000_000);
});
