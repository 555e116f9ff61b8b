import { readSmallUint } from "#core/chain/abi/readSmallUint.ts";
import type { Hex } from "#core/chain/Hex.ts";

const WORD_BYTES = 32;

/**
 * Reads the text that a contract returned: an ABI `string`, or the `bytes32` of older contracts.
 * Null if it is neither. Invalid UTF-8 becomes the replacement character.
 */
export function readAbiText(answer: Hex): string | null {
	const bytes = Buffer.from(answer.slice(2), "hex");
	if (bytes.length === WORD_BYTES) return textOf(bytes.subarray(0, zeroIn(bytes)));
	const offset = readSmallUint(bytes, 0);
	if (offset === null) return null;
	const length = readSmallUint(bytes, offset);
	if (length === null || offset + WORD_BYTES + length > bytes.length) return null;
	return textOf(bytes.subarray(offset + WORD_BYTES, offset + WORD_BYTES + length));
}

function zeroIn(bytes: Buffer): number {
	const zero = bytes.indexOf(0);
	return zero === -1 ? bytes.length : zero;
}

function textOf(bytes: Buffer): string {
	return new TextDecoder("utf-8").decode(bytes);
}
