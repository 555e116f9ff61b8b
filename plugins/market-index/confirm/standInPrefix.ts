import type { Address, Hex } from "#core/chain/Hex.ts";

/** The first 16 bytes of every stand-in hash of a contract. */
export function standInPrefix(contract: Address): Hex {
	return `0x${"0".repeat(16)}${contract.slice(2, 18)}`;
}
