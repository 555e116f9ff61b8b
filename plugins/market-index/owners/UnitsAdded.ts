import type { Address } from "#core/chain/Hex.ts";

/**
 * What a block added to the units that an account holds of an id. With the zero address below zero
 * stands for units that came into being, above zero for units that were destroyed.
 */
export type UnitsAdded = {
	setId: number;
	block: number;
	/** Null where only the count matters: who owns an ERC-721 is told by spans. */
	tokenId: bigint | null;
	owner: Address;
	units: bigint;
};
