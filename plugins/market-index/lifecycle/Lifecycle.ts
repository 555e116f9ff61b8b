/** The stage of a collection's life, by the facts; see `lifecycleOf`. */
export const LIFECYCLES = ["upcoming", "minting", "minted_out", "secondary"] as const;

export type Lifecycle = (typeof LIFECYCLES)[number];

/** All that a collection's lifecycle depends on. */
export type LifecycleFacts = {
	mintedUnits: bigint;
	/** The maximum supply by the contract or its drop; null while unknown. */
	maxSupply: bigint | null;
	firstMintAtMs: number | null;
	lastMintAtMs: number | null;
	/** Accepted sales ever. */
	sales: number;
	/** True: it has owners or an ask, as far as the provider knows. */
	isTraded: boolean;
	/** True: a mint was announced that is not over. */
	isAnnounced: boolean;
};

/** Without a known maximum, a collection with sales and no mint for this long is secondary. */
export const MINT_SILENCE_MS = 86_400_000;
