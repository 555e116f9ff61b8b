import type { Hex } from "#core/chain/Hex.ts";

/** An address as `bytea`. */
export function bytesOf(hex: Hex): Buffer {
	return Buffer.from(hex.slice(2), "hex");
}
