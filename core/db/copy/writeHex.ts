import { assert } from "#core/fault/assert.ts";

const NO_DIGIT = 255;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
	DIGITS[digit.charCodeAt(0)] = value;
	DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Writes a `bytea` from `0x` and hex digits, its length first; returns the bytes written. Uses a
 * table: a runtime call for twenty bytes takes longer than the bytes.
 */
export function writeHex(view: DataView, at: number, hex: string): number {
	let flaw = 0;
	let to = at + 4;
	// The last digit of an odd number has no partner, which counts as an invalid digit.
	for (let from = 2; from < hex.length; from += 2) {
		const high = DIGITS[hex.charCodeAt(from)] ?? NO_DIGIT;
		const low = DIGITS[hex.charCodeAt(from + 1)] ?? NO_DIGIT;
		flaw |= high | low;
		view.setUint8(to++, (high << 4) | low);
	}
	assert(flaw < 16 && hex.startsWith("0x"), "bytes are written as whole bytes of hex");
	view.setInt32(at, to - at - 4);
	return to - at;
}
