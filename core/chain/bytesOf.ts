import type { Hex } from "#core/chain/Hex.ts";

/**
 * Returns the bytes of hex, as `bytea` columns take them. Uses the engine's own code, which is many
 * times as fast as viem's `hexToBytes`. It checks nothing: decoding stops at an invalid digit.
 */
export function bytesOf(hex: Hex): Buffer {
	return Buffer.from(hex.slice(2), "hex");
}
