import { readSmallUint } from "#core/chain/abi/readSmallUint.ts";

const WORD_BYTES = 32;
const LONG_BYTES = 8;

/** Reads the word at a byte offset, which must be within the data. */
export function readUint(bytes: Buffer, byteOffset: number): bigint {
	const small = readSmallUint(bytes, byteOffset);
	if (small !== null) return BigInt(small);
	const end = byteOffset + WORD_BYTES;
	// Most prices in wei: above 2^48 and below 2^64.
	const long = end - LONG_BYTES;
	for (let at = byteOffset; at < long; at++) {
		if (bytes[at] !== 0) return BigInt(`0x${bytes.toString("hex", byteOffset, end)}`);
	}
	return bytes.readBigUInt64BE(long);
}
