import type { Hex } from "#core/chain/Hex.ts";

/** A hash with 8 zero bytes in front is one of 2^64: no transaction's. */
export function isStandIn(hash: Hex): boolean {
	return hash.startsWith("0x0000000000000000");
}
