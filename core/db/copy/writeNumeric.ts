import { assert } from "#core/fault/assert.ts";

const BASE = 10_000;
const BASE_DIGITS = 4;
/** The field's length, and the head before the digits. */
const HEAD_BYTES = 4 + 8;

/** Above this the weight would overflow, and the server would store 0. */
const COUNT_MAX = 2 ** 15;

const UINT256_MAX = 2n ** 256n - 1n;
const UINT256_BYTES = HEAD_BYTES + 2 * 20;

/** Returns the most bytes that `writeNumeric` needs for a value. */
export function numericBytesMax(value: bigint): number {
	return value <= UINT256_MAX ? UINT256_BYTES : HEAD_BYTES + value.toString().length;
}

/**
 * Writes a whole number as PostgreSQL's binary `numeric`: the field's length, the number of digits
 * in base 10,000, the weight of the first, the sign, the scale, the digits. Returns the bytes
 * written.
 */
export function writeNumeric(view: DataView, at: number, value: bigint): number {
	const double = Number(value);
	assert(double >= 0, "an amount is not below zero");
	const first = at + HEAD_BYTES;
	const count =
		double <= Number.MAX_SAFE_INTEGER
			? writeDouble(view, first, double)
			: writeDecimal(view, first, value.toString());
	view.setInt32(at, HEAD_BYTES - 4 + 2 * count);
	view.setInt16(at + 4, count);
	view.setInt16(at + 6, Math.max(0, count - 1));
	view.setInt32(at + 8, 0);
	return HEAD_BYTES + 2 * count;
}

/** Writes the digits without `%`, which on doubles is a runtime call; `| 0` avoids another one. */
function writeDouble(view: DataView, first: number, value: number): number {
	let count = 0;
	for (let least = 1; least <= value; least *= BASE) count++;
	let rest = value;
	for (let index = count - 1; index >= 0; index--) {
		const higher = Math.floor(rest / BASE);
		view.setInt16(first + 2 * index, (rest - higher * BASE) | 0);
		rest = higher;
	}
	return count;
}

function writeDecimal(view: DataView, first: number, decimal: string): number {
	const count = Math.ceil(decimal.length / BASE_DIGITS);
	assert(count <= COUNT_MAX, "a number is beyond its column");
	let from = decimal.length - count * BASE_DIGITS;
	for (let index = 0; index < count; index++) {
		const end = from + BASE_DIGITS;
		let digit = 0;
		for (let place = Math.max(0, from); place < end; place++) {
			digit = digit * 10 + decimal.charCodeAt(place) - 48;
		}
		view.setInt16(first + 2 * index, digit);
		from = end;
	}
	return count;
}
