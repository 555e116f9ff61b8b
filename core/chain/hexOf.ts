import type { Hex } from "#core/chain/Hex.ts";

/**
 * Writes bytes as hex in lower case. Like viem's `bytesToHex`, but by the engine's own code, which
 * is many times as fast: rows are read by the thousand, each with several hashes.
 */
export function hexOf(bytes: Uint8Array): Hex {
	return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}
