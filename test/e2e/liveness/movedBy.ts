import type { Hex } from "#core/chain/Hex.ts";

/**
 * Returns a quantity plus `by`, at least 0. A quantity that another false answer has made
 * unreadable stays as it is: two answers can be false at a time.
 */
export function movedBy(quantity: Hex, by: number): Hex {
	if (!/^0x[0-9a-f]+$/.test(quantity)) return quantity;
	const sum = BigInt(quantity) + BigInt(by);
	return `0x${(sum < 0n ? 0n : sum).toString(16)}`;
}
