const WORD_BYTES = 32;
const SMALL_BYTES = 6;

/**
 * Reads the word at a byte offset as an offset, a length or an enum.
 *
 * Null outside the data, or from 2^48 on, so that a false length can never start a long loop or
 * lose digits as a double. Offsets need no alignment: the ABI does not require it.
 */
export function readSmallUint(bytes: Buffer, byteOffset: number): number | null {
	const end = byteOffset + WORD_BYTES;
	if (end > bytes.length) return null;
	const small = end - SMALL_BYTES;
	for (let at = byteOffset; at < small; at++) if (bytes[at] !== 0) return null;
	return bytes.readUIntBE(small, SMALL_BYTES);
}
