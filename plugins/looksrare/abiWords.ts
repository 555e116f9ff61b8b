import type { Address } from "#core/chain/Hex.ts";

const WORD_DIGITS = 64;
const ADDRESS_PADDING = "0".repeat(24);
const SMALL_DIGITS = 12;
const SMALL_PADDING = "0".repeat(WORD_DIGITS - SMALL_DIGITS);
const HEX_TEXT = /^0x[0-9a-fA-F]*$/;

/** Bytes that the text holds, or null where it is not whole bytes of hex. Ask before cutting. */
export function byteLengthOf(data: string): number | null {
	return data.length % 2 === 0 && HEX_TEXT.test(data) ? data.length / 2 - 1 : null;
}

/** The word at a byte, or null beyond the data. */
export function uintAt(data: string, byteOffset: number): bigint | null {
	const start = 2 + byteOffset * 2;
	const end = start + WORD_DIGITS;
	return end > data.length ? null : BigInt(`0x${data.slice(start, end)}`);
}

/** An address, lower case; null where the word holds more than one, or is not there. */
export function addressAt(data: string, byteOffset: number): Address | null {
	const start = 2 + byteOffset * 2;
	const end = start + WORD_DIGITS;
	if (end > data.length || !data.startsWith(ADDRESS_PADDING, start)) return null;
	return `0x${data.slice(start + ADDRESS_PADDING.length, end).toLowerCase()}`;
}

/**
 * A list of words through the offset that its head names; null where that points outside the data
 * or the list does not fit into it.
 *
 * The length is compared with the data before anything is read, so a length that lies costs
 * nothing. From 2^48 on a number is refused: no log is that long, and a double would lose digits.
 */
export function uintsAt(data: string, headByte: number): bigint[] | null {
	const offset = smallAt(data, headByte);
	const count = offset === null ? null : smallAt(data, offset);
	if (offset === null || count === null) return null;
	const start = 2 + (offset + 32) * 2;
	if (count > (data.length - start) / WORD_DIGITS) return null;
	return Array.from({ length: count }, (_, index) => {
		const from = start + index * WORD_DIGITS;
		return BigInt(`0x${data.slice(from, from + WORD_DIGITS)}`);
	});
}

function smallAt(data: string, byteOffset: number): number | null {
	const start = 2 + byteOffset * 2;
	const end = start + WORD_DIGITS;
	if (end > data.length || !data.startsWith(SMALL_PADDING, start)) return null;
	return Number.parseInt(data.slice(end - SMALL_DIGITS, end), 16);
}
