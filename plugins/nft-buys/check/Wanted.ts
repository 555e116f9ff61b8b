import type { Address } from "#core/chain/Hex.ts";

/** What somebody asked for, and where and when it is bought. All else is held against this. */
export type Wanted = {
	chainId: number;
	marketplace: Address;
	wallet: Address;
	contract: Address;
	tokenId: bigint;
	quantity: bigint;
	nowMs: number;
};
