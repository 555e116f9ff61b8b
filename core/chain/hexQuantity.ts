import type { Hex } from "#core/chain/Hex.ts";

/** Returns a number as JSON-RPC writes quantities: hex without leading zeros. */
export function hexQuantity(value: number | bigint): Hex {
	return `0x${value.toString(16)}`;
}
