import { createRowBefore } from "#core/db/copy/createRowBefore.ts";
import {
	writeBool,
	writeInt2,
	writeInt4,
	writeInt8,
	writeTime,
} from "#core/db/copy/fixedFields.ts";
import { repeatField } from "#core/db/copy/repeatField.ts";
import { writeHex } from "#core/db/copy/writeHex.ts";
import { numericBytesMax, writeNumeric } from "#core/db/copy/writeNumeric.ts";

/**
 * Writes rows in PostgreSQL's binary COPY format, value by value, in the order of the columns. A
 * call that fails has written nothing.
 */
export type CopyWriter = {
	/** Begins a row with this many columns. */
	row(columns: number): void;
	null(): void;
	bool(value: boolean): void;
	int2(value: number): void;
	int4(value: number): void;
	/** A safe integer; larger ones are refused. */
	int8(value: number): void;
	/** A `timestamptz`, given in whole milliseconds since 1970. */
	time(atMs: number): void;
	/** A `bytea`, given as `0x` and hex digits. */
	bytes(hex: string): void;
	/** A `numeric` that is whole and not below zero. */
	numeric(value: bigint): void;
	text(value: string): void;
	/** A `jsonb`, given as JSON. */
	json(value: string): void;
	/** The number of bytes that were not taken yet. */
	readonly length: number;
	/** Returns what was written since the last time, in a buffer of the caller's own. */
	take(): Buffer;
};

/** "PGCOPY" and bytes that reveal a damaged transfer, no flags, no extension. */
const SIGNATURE = Buffer.from("5047434f50590aff0d0a000000000000000000", "hex");
/** Written in place of a row's number of columns. */
const END = -1;
/** Written in place of a field's length. */
const NULL = -1;

/** The most bytes of a fixed field with its length, or of a longer one's head. */
const FIXED_BYTES_MAX = 16;

const JSONB_VERSION = 1;

/** Returns the bytes at the start of the stream. */
export const copyBegin = (): Buffer => Buffer.from(SIGNATURE);

/** Returns the bytes at the end of the stream. */
export function copyEnd(): Buffer {
	const end = Buffer.alloc(2);
	end.writeInt16BE(END);
	return end;
}

/**
 * Makes a writer with a buffer that grows as needed.
 *
 * Binary instead of text: the server needs a fifth less time for a row of twenty columns
 * (measured), because it searches no line ends and parses no digits, and no text is built here.
 *
 * Consecutive rows share many values (block, transaction, sender, amount): a value that the column
 * had in the row before is copied instead of written again.
 */
export function createCopyWriter(bytesFirst: number): CopyWriter {
	let buffer = Buffer.allocUnsafe(bytesFirst);
	let view = viewOf(buffer);
	let at = 0;
	const before = createRowBefore();

	function wrote(value: string | bigint, bytes: number): void {
		before.keep(value, at);
		at += bytes;
	}

	function reserve(bytes: number): void {
		if (at + bytes <= buffer.length) return;
		const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, at + bytes));
		buffer.copy(larger, 0, 0, at);
		buffer = larger;
		view = viewOf(buffer);
	}

	return {
		row(columns) {
			reserve(FIXED_BYTES_MAX);
			view.setInt16(at, columns);
			at += 2;
			before.begin();
		},
		null() {
			reserve(FIXED_BYTES_MAX);
			view.setInt32(at, NULL);
			at += 4;
		},
		bool(value) {
			reserve(FIXED_BYTES_MAX);
			at += writeBool(view, at, value);
		},
		int2(value) {
			reserve(FIXED_BYTES_MAX);
			at += writeInt2(view, at, value);
		},
		int4(value) {
			reserve(FIXED_BYTES_MAX);
			at += writeInt4(view, at, value);
		},
		int8(value) {
			reserve(FIXED_BYTES_MAX);
			at += writeInt8(view, at, value);
		},
		time(atMs) {
			reserve(FIXED_BYTES_MAX);
			at += writeTime(view, at, atMs);
		},
		bytes(hex) {
			reserve(FIXED_BYTES_MAX + (hex.length >> 1));
			const place = before.placeOf(hex);
			wrote(hex, place < 0 ? writeHex(view, at, hex) : repeatField(view, place, at));
		},
		numeric(value) {
			reserve(numericBytesMax(value));
			const place = before.placeOf(value);
			wrote(value, place < 0 ? writeNumeric(view, at, value) : repeatField(view, place, at));
		},
		text(value) {
			reserve(FIXED_BYTES_MAX + Buffer.byteLength(value));
			const bytes = buffer.write(value, at + 4);
			view.setInt32(at, bytes);
			at += 4 + bytes;
		},
		json(value) {
			reserve(FIXED_BYTES_MAX + Buffer.byteLength(value));
			const bytes = buffer.write(value, at + 5);
			view.setInt32(at, 1 + bytes);
			view.setUint8(at + 4, JSONB_VERSION);
			at += 5 + bytes;
		},
		get length() {
			return at;
		},
		take() {
			const taken = buffer.subarray(0, at);
			buffer = Buffer.allocUnsafe(buffer.length);
			view = viewOf(buffer);
			at = 0;
			before.forget();
			return taken;
		},
	};
}

function viewOf(buffer: Buffer): DataView {
	return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}
