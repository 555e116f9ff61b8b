import type { ChainTroubles } from "#plugins/wallets/chain/createChainTroubles.ts";

/** What this process knows of its own looks at submissions. */
export type LookState = {
	/** Ids of those that it looks at now. */
	readonly underWay: Set<string>;
	readonly troubles: ChainTroubles;
	/** Chains whose new blocks it searches for what was sent. */
	readonly followed: Set<number>;
};
