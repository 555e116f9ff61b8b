import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";

const WORD_BYTES = 32;
const PADDING_BYTES = 12;

/**
 * Reads the word at a byte offset as an address, lower case.
 *
 * Null when its upper 12 bytes are not zero: such a word is no address, and truncating it would
 * name an unrelated account.
 */
export function readAddressWord(bytes: Buffer, byteOffset: number): Address | null {
	const end = byteOffset + WORD_BYTES;
	if (end > bytes.length) return null;
	let at = byteOffset;
	while (at < end && bytes[at] === 0) at++;
	// Most payments are native, so the most frequent address is not converted each time.
	if (at === end) return ZERO_ADDRESS;
	const first = byteOffset + PADDING_BYTES;
	return at < first ? null : `0x${bytes.toString("hex", first, end)}`;
}
