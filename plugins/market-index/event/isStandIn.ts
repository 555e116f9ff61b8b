import type { Hex } from "#core/chain/Hex.ts";

/**
 * Says whether a hash is a stand-in: it begins with 8 zero bytes, which one of 2^64 transactions'
 * hashes does.
 */
export function isStandIn(hash: Hex): boolean {
	return hash.startsWith("0x0000000000000000");
}
