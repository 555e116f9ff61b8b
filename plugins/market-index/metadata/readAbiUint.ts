import type { Hex } from "#core/chain/Hex.ts";

/** Reads the `uint256` a contract returned; null where the answer is not exactly one word. */
export function readAbiUint(answer: Hex): bigint | null {
	return answer.length === 66 ? BigInt(answer) : null;
}
