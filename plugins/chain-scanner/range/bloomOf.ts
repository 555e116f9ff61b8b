import { keccak256 } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";

const BLOOM_BYTES = 256;

/**
 * Returns the bloom of a block with just these logs: three bits for each address and topic (Yellow
 * Paper, 4.3.1). A hash for each of them: for the rare block that has to be proven.
 */
export function bloomOf(logs: readonly Pick<RawLog, "address" | "topics">[]): Hex {
	const bloom = new Uint8Array(BLOOM_BYTES);
	for (const item of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
		const hash = keccak256(item, "bytes");
		for (const at of [0, 2, 4]) {
			const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & (BLOOM_BYTES * 8 - 1);
			const byte = BLOOM_BYTES - 1 - (bit >> 3);
			bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
		}
	}
	return `0x${Buffer.from(bloom).toString("hex")}`;
}
