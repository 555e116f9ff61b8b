/** Where a collection is in its life, as the facts say; see `lifecycleOf`. */
export const LIFECYCLES = ["upcoming", "minting", "minted_out", "secondary"] as const;

export type Lifecycle = (typeof LIFECYCLES)[number];

/** All that a collection's lifecycle depends on. */
export type LifecycleFacts = {
	mintedUnits: bigint;
	/** What the contract or its drop says is the most there can be; null while unknown. */
	maxSupply: bigint | null;
	firstMintAtMs: number | null;
	lastMintAtMs: number | null;
	/** Accepted sales ever. */
	sales: number;
	/** Somebody owns of it or asks for a price, as far as the provider knows. */
	isTraded: boolean;
	/** A mint was announced that is not over. */
	isAnnounced: boolean;
};

/** Without a known maximum, one that sells and has not minted for this long is secondary. */
export const MINT_SILENCE_MS = 86_400_000;
