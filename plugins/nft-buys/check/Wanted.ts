import type { Address } from "#core/chain/Hex.ts";

/** What the buyer wants, and where and when it is bought. All answers are compared with this. */
export type Wanted = {
	chainId: number;
	marketplace: Address;
	wallet: Address;
	contract: Address;
	tokenId: bigint;
	quantity: bigint;
	nowMs: number;
};
