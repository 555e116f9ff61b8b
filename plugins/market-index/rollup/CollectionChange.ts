import type { Address, Hex } from "#core/chain/Hex.ts";

/** What one batch adds to a collection's own figures. */
export type CollectionChange = {
	collectionId: number;
	mints: number;
	mintedUnits: bigint;
	firstMintAtMs: number | null;
	/** The latest time; on a chain whose clock goes back that may not be the last mint's. */
	lastMintAtMs: number | null;
	lastMint: {
		position: bigint;
		totalRaw: bigint | null;
		quantity: bigint;
		/** Null for the chain's coin. */
		currency: Address | null;
	} | null;
	sales: number;
	volume: bigint;
	lastSale: {
		atMs: number;
		position: bigint;
		tokenId: bigint;
		unitNative: bigint | null;
		transactionHash: Hex;
	} | null;
};
