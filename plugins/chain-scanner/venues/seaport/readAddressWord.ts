import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";

const WORD_DIGITS = 64;
const PADDING = "0".repeat(24);
const ZERO_DIGITS = "0".repeat(40);

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
	// Most payments are native: the commonest address of all need not be cut out each time.
	if (data.startsWith(ZERO_DIGITS, start + PADDING.length)) return ZERO_ADDRESS;
	return `0x${data.slice(start + PADDING.length, end).toLowerCase()}`;
}
