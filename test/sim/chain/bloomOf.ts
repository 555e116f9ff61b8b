import { type Hex, hexToBytes, keccak256, toHex } from "viem";
import type { FakeLog } from "#test/harness/fakeChain.ts";

const BLOOM_BYTES = 256;
/** The same few contracts and accounts come again and again; keccak is what costs. */
const bitsOf = new Map<Hex, readonly number[]>();

/** The header's filter over addresses and topics of a block's logs (yellow paper, 4.3.1). */
export function bloomOf(logs: readonly FakeLog[]): Hex {
	const bloom = new Uint8Array(BLOOM_BYTES);
	for (const { address, topics } of logs) {
		for (const entry of [address, ...topics]) {
			for (const bit of bits(entry)) {
				const at = BLOOM_BYTES - 1 - (bit >> 3);
				bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
			}
		}
	}
	return toHex(bloom);
}

function bits(entry: Hex): readonly number[] {
	const known = bitsOf.get(entry);
	if (known) return known;
	const hash = hexToBytes(keccak256(entry));
	const made = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff);
	bitsOf.set(entry, made);
	return made;
}
