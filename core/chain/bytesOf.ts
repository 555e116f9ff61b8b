import type { Hex } from "#core/chain/Hex.ts";

/**
 * Returns the bytes that hex stands for, as `bytea` columns take them. By the engine's own code,
 * which is many times as fast as viem's `hexToBytes`. It checks nothing: what is no hex ends it.
 */
export function bytesOf(hex: Hex): Buffer {
	return Buffer.from(hex.slice(2), "hex");
}
