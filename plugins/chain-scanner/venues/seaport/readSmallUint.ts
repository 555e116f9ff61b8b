const WORD_DIGITS = 64;
const SMALL_DIGITS = 12;
const HIGH_ZEROS = "0".repeat(WORD_DIGITS - SMALL_DIGITS);

/**
 * Reads the word at a byte offset as an offset, a length or an enum.
 *
 * Null beyond the data or from 2^48 on, so that a lying length can never start a loop or lose
 * digits as a double. Offsets need no alignment: the ABI does not ask for it.
 */
export function readSmallUint(data: string, byteOffset: number): number | null {
	const start = 2 + byteOffset * 2;
	const end = start + WORD_DIGITS;
	if (end > data.length || !data.startsWith(HIGH_ZEROS, start)) return null;
	return Number.parseInt(data.slice(end - SMALL_DIGITS, end), 16);
}
