import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";

const WORD_BYTES = 32;
const PADDING_BYTES = 12;

/**
 * Reads the word at a byte offset as an address, lower case.
 *
 * Null when its upper 12 bytes are not empty: such a word is something else, and cutting it down
 * would name a stranger as a party.
 */
export function readAddressWord(bytes: Buffer, byteOffset: number): Address | null {
	const end = byteOffset + WORD_BYTES;
	if (end > bytes.length) return null;
	let at = byteOffset;
	while (at < end && bytes[at] === 0) at++;
	// Most payments are native: the commonest address of all need not be written out each time.
	if (at === end) return ZERO_ADDRESS;
	const first = byteOffset + PADDING_BYTES;
	return at < first ? null : `0x${bytes.toString("hex", first, end)}`;
}
