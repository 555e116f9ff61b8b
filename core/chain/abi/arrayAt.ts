import { readSmallUint } from "#core/chain/abi/readSmallUint.ts";

const WORD_BYTES = 32;

/** Finds an array through its head word; null unless all of its items are within the data. */
export function arrayAt(input: {
	data: Buffer;
	head: number;
	itemBytes: number;
}): { firstByte: number; count: number } | null {
	const offset = readSmallUint(input.data, input.head * WORD_BYTES);
	if (offset === null) return null;
	const count = readSmallUint(input.data, offset);
	if (count === null) return null;
	const firstByte = offset + WORD_BYTES;
	if (count > (input.data.length - firstByte) / input.itemBytes) return null;
	return { firstByte, count };
}
