import { expect, test } from "bun:test";
import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";

test("one word is a number, up to 2^256 - 1, and nothing else is", () => {
	expect(readAbiUint(`0x${"f".repeat(64)}`)).toBe(2n ** 256n - 1n);
	expect(readAbiUint(`0x${"0".repeat(62)}1F`)).toBe(31n);
	expect(readAbiUint("0x")).toBeNull();
	expect(readAbiUint("0x12")).toBeNull();
	expect(readAbiUint(`0x${"g".repeat(64)}`)).toBeNull();
	expect(readAbiUint(null)).toBeNull();
	expect(readAbiUint(`0x${"0".repeat(128)}`)).toBeNull();
});
