import type { Address } from "#core/chain/Hex.ts";

/**
 * What a block added to an account's units of an id. For the zero address negative units were
 * minted, positive ones destroyed.
 */
export type UnitsAdded = {
	setId: number;
	block: number;
	/** Null where only the count matters: owners of an ERC-721 are stored as spans. */
	tokenId: bigint | null;
	owner: Address;
	units: bigint;
};
