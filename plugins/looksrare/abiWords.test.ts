import { expect, test } from "bun:test";
import fc from "fast-check";
import { addressAt, byteLengthOf, uintAt, uintsAt } from "#plugins/looksrare/abiWords.ts";
import { cpuTimer } from "#test/harness/cpuTimer.ts";

const word = (value: bigint) => value.toString(16).padStart(64, "0");
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

test("[ING-13] a word is cut at any byte, and is nothing where the data ends before it", () => {
	fc.assert(
		fc.property(uint256, fc.nat({ max: 40 }), (value, at) => {
			const data = `0x${"ff".repeat(at)}${word(value)}`;
			expect(uintAt(data, at)).toBe(value);
			expect(uintAt(data, at + 1)).toBeNull();
			const isAddress = value < 2n ** 160n;
			expect(addressAt(data, at)).toBe(isAddress ? `0x${word(value).slice(24)}` : null);
			expect(addressAt(data, at + 1)).toBeNull();
		}),
	);
});

test("[ING-13] addresses come out in lower case", () => {
	expect(addressAt(`0x${"0".repeat(24)}${"AB".repeat(20)}`, 0)).toBe(`0x${"ab".repeat(20)}`);
});

test("[ING-13] a list is read whole or not at all, wherever it lies", () => {
	fc.assert(
		fc.property(fc.array(uint256, { maxLength: 9 }), fc.nat({ max: 70 }), (values, gap) => {
			const list = word(BigInt(values.length)) + values.map(word).join("");
			const data = `0x${word(BigInt(32 + gap))}${"ff".repeat(gap)}${list}`;
			expect(uintsAt(data, 0)).toEqual(values);
			expect(uintsAt(data.slice(0, -2), 0)).toBeNull();
			expect(uintsAt(data, 1)).toBeNull();
		}),
	);
});

test("[ING-13] an offset or a length that lies is refused before anything is read", () => {
	const cpuMs = cpuTimer();
	for (const lie of [2n ** 256n - 1n, 2n ** 255n, 2n ** 53n, 2n ** 48n, 2n ** 48n - 1n, 2n]) {
		expect(uintsAt(`0x${word(32n)}${word(lie)}${word(7n)}`, 0)).toBeNull();
		if (lie > 2n) expect(uintsAt(`0x${word(lie)}${word(0n)}`, 0)).toBeNull();
	}
	expect(cpuMs()).toBeLessThan(500);
});

test("[ING-13] only whole bytes of hex have a length", () => {
	expect(byteLengthOf("0x")).toBe(0);
	expect(byteLengthOf("0xAbcD")).toBe(2);
	for (const text of ["", "0", "abcd", "0xabc", "0xzz", "0x ab", "0xab\n\n"]) {
		expect(byteLengthOf(text)).toBeNull();
	}
});
