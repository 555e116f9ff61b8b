import { assert } from "#core/fault/assert.ts";

/** 2000-01-01, PostgreSQL's epoch. */
const EPOCH_MS = 946_684_800_000;
/** `int8` and `timestamptz` are written in two halves: a bigint would take twice as long. */
const HALF = 2 ** 32;

// Each writes a field, its length first, and returns the bytes written. `| 0` keeps the low 32
// bits; given a double, a DataView calls the runtime.

export function writeBool(view: DataView, at: number, value: boolean): number {
	view.setInt32(at, 1);
	view.setUint8(at + 4, value ? 1 : 0);
	return 5;
}

export function writeInt2(view: DataView, at: number, value: number): number {
	assert(value === (value << 16) >> 16, "a number is beyond its column");
	view.setInt32(at, 2);
	view.setInt16(at + 4, value);
	return 6;
}

export function writeInt4(view: DataView, at: number, value: number): number {
	assert(value === (value | 0), "a number is beyond its column");
	view.setInt32(at, 4);
	view.setInt32(at + 4, value);
	return 8;
}

export function writeInt8(view: DataView, at: number, value: number): number {
	assert(Number.isSafeInteger(value), "a number is beyond its column");
	view.setInt32(at, 8);
	view.setInt32(at + 4, Math.floor(value / HALF) | 0);
	view.setInt32(at + 8, value | 0);
	return 12;
}

/** Writes a time in microseconds; the server refuses times outside its calendar. */
export function writeTime(view: DataView, at: number, atMs: number): number {
	assert(Number.isSafeInteger(atMs), "a time is whole milliseconds");
	const ms = atMs - EPOCH_MS;
	const high = Math.floor(ms / HALF);
	const low = (ms - high * HALF) * 1_000;
	view.setInt32(at, 8);
	view.setInt32(at + 4, (high * 1_000 + Math.floor(low / HALF)) | 0);
	view.setInt32(at + 8, low | 0);
	return 12;
}
