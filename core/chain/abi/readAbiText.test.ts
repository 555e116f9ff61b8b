import { expect, test } from "bun:test";
import fc from "fast-check";
import { encodeAbiParameters, type Hex, stringToHex } from "viem";
import { readAbiText } from "#core/chain/abi/readAbiText.ts";

const encoded = (text: string) => encodeAbiParameters([{ type: "string" }], [text]);
const word = (value: bigint) => value.toString(16).padStart(64, "0");

test("any string that a contract encodes is read as it is", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
			expect(readAbiText(encoded(text))).toBe(text.replace(/^\ufeff/, ""));
		}),
	);
});

test("the bytes32 of old contracts is read up to its first zero", () => {
	expect(readAbiText(stringToHex("MKR", { size: 32 }))).toBe("MKR");
	expect(readAbiText(stringToHex("x".repeat(32)))).toBe("x".repeat(32));
	expect(readAbiText(`0x${"00".repeat(32)}`)).toBe("");
});

test("offsets and lengths that point out of the data are no text", () => {
	const lies: Hex[] = [
		"0x",
		"0x00",
		`0x${word(32n)}`.concat("00") as Hex,
		`0x${word(2n ** 256n - 1n)}${word(1n)}`,
		`0x${word(32n)}${word(2n ** 255n)}`,
		`0x${word(32n)}${word(33n)}${word(0n)}`,
		`0x${word(64n)}${word(1n)}`,
		`0x${word(2n ** 32n)}${word(0n)}`,
	];
	for (const lie of lies) expect(readAbiText(lie)).toBeNull();
});

test("whatever bytes come, reading ends, and bytes that are no UTF-8 are marked", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
			const text = readAbiText(`0x${Buffer.from(bytes).toString("hex")}`);
			expect(text === null || text.isWellFormed()).toBe(true);
		}),
	);
	const broken = encoded("ab").replace("6162", "ff62") as Hex;
	expect(readAbiText(broken)).toBe("\ufffdb");
});
