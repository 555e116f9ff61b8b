import type { Address } from "#core/chain/Hex.ts";

const WORD_DIGITS = 64;
const PADDING = "0".repeat(24);

/**
 * Reads the word at a byte offset as an address, lower case.
 *
 * Null when its upper 12 bytes are not empty: such a word is something else, and cutting it down
 * would name a stranger as a party.
 */
export function readAddressWord(data: string, byteOffset: number): Address | null {
	const start = 2 + byteOffset * 2;
	const end = start + WORD_DIGITS;
	if (end > data.length || !data.startsWith(PADDING, start)) return null;
	return `0x${data.slice(start + PADDING.length, end).toLowerCase()}`;
}
