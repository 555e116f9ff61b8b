import type { Hex } from "#core/chain/Hex.ts";

const WORD_BYTES = 32;

/**
 * Reads the text a contract returned: an ABI `string`, or the `bytes32` of older contracts. Null
 * where it is neither. Bytes that are not UTF-8 become the replacement character.
 */
export function readAbiText(answer: Hex): string | null {
	const bytes = Buffer.from(answer.slice(2), "hex");
	if (bytes.length === WORD_BYTES) return textOf(bytes.subarray(0, zeroIn(bytes)));
	const offset = smallWord(bytes, 0);
	if (offset === null) return null;
	const length = smallWord(bytes, offset);
	if (length === null || offset + WORD_BYTES + length > bytes.length) return null;
	return textOf(bytes.subarray(offset + WORD_BYTES, offset + WORD_BYTES + length));
}

function zeroIn(bytes: Buffer): number {
	const zero = bytes.indexOf(0);
	return zero === -1 ? bytes.length : zero;
}

/** A word that must be a position inside the data: anything larger is a lie. */
function smallWord(bytes: Buffer, at: number): number | null {
	if (at + WORD_BYTES > bytes.length) return null;
	for (let index = at; index < at + WORD_BYTES - 4; index++) if (bytes[index] !== 0) return null;
	const value = bytes.readUInt32BE(at + WORD_BYTES - 4);
	return value > bytes.length ? null : value;
}

function textOf(bytes: Buffer): string {
	return new TextDecoder("utf-8").decode(bytes);
}
