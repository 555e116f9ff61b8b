import { keccak256 } from "viem";
import type { Hex } from "#core/chain/Hex.ts";

/** `0x` and 2,048 bits. */
const BLOOM_LENGTH = 2 + 512;
/** An indexer searches for a few topics and contracts repeatedly. */
const REMEMBERED_ITEMS_MAX = 4_096;

type BloomBit = { position: number; mask: number };

const remembered = new Map<Hex, readonly BloomBit[]>();

/**
 * Returns whether a block's logs bloom may contain an address or a topic. False is certain: no log
 * of the block has it. True may be chance, about one time in a thousand for a block of a hundred
 * logs.
 *
 * An invalid bloom returns true. Some chains send a bloom of zeros for blocks full of logs: the
 * caller must know its chain before it relies on false.
 *
 * Three bits, each the low 11 of two of the first six bytes of the hash (Yellow Paper, 4.3.1).
 */
export function bloomHas(bloom: Hex, item: Hex): boolean {
	if (bloom.length !== BLOOM_LENGTH) return true;
	return bitsOf(item).every(({ position, mask }) => {
		return (digitOf(bloom.charCodeAt(position)) & mask) !== 0;
	});
}

function bitsOf(item: Hex): readonly BloomBit[] {
	const known = remembered.get(item);
	if (known) return known;
	const hash = keccak256(item, "bytes");
	const bits = [0, 2, 4].map((at) =>
		bloomBit((((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047),
	);
	if (remembered.size >= REMEMBERED_ITEMS_MAX) remembered.clear();
	remembered.set(item, bits);
	return bits;
}

/**
 * Returns where a bit is. Bit 0 is the lowest of the last byte: four bits per hex digit, counted
 * from the end.
 */
function bloomBit(bit: number): BloomBit {
	return { position: BLOOM_LENGTH - 1 - (bit >> 2), mask: 1 << (bit & 3) };
}

/** Returns the value of `0`–`9`, `a`–`f` and `A`–`F`. */
function digitOf(code: number): number {
	return code <= 57 ? code - 48 : (code & 0xdf) - 55;
}
