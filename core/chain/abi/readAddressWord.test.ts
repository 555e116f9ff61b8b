import { expect, test } from "bun:test";
import { readAddressWord } from "#core/chain/abi/readAddressWord.ts";

const bytesOf = (text: string) => Buffer.from(text.slice(2), "hex");

test("[ING-12] only a word with an empty upper part is an address", () => {
	const address = "Ab".repeat(20);
	expect(readAddressWord(bytesOf(`0x${"0".repeat(24)}${address}`), 0)).toBe(
		`0x${address.toLowerCase()}`,
	);
	expect(readAddressWord(bytesOf(`0x${"0".repeat(23)}1${address}`), 0)).toBeNull();
	expect(readAddressWord(bytesOf(`0x1${"0".repeat(23)}${address}`), 0)).toBeNull();
	expect(readAddressWord(bytesOf(`0x${"0".repeat(24)}${address}`), 1)).toBeNull();
});
