import {
	type Lifecycle,
	type LifecycleFacts,
	MINT_SILENCE_MS,
} from "#plugins/market-index/lifecycle/Lifecycle.ts";

/**
 * The stored lifecycle: a pure function of facts, so replays and reorgs cannot leave it behind.
 *
 * A collection that was trading before the index began has sales and no mint that we saw; it is
 * secondary, whatever its maximum, and so is one that only the provider knows, once it has owners
 * or a floor. One that nothing is known of is not upcoming either, unless its mint was announced:
 * null. `lifecycleSql` says the same in SQL, and a test compares them.
 */
export function lifecycleOf(facts: LifecycleFacts, nowMs: number): Lifecycle | null {
	const { mintedUnits, firstMintAtMs, lastMintAtMs, sales, isTraded, isAnnounced } = facts;
	// A contract that answers 0 has not said how many there can be.
	const maxSupply = facts.maxSupply === 0n ? null : facts.maxSupply;
	if (maxSupply !== null && mintedUnits >= maxSupply) return "minted_out";
	if (firstMintAtMs === null || lastMintAtMs === null) {
		if (sales > 0 || isTraded) return "secondary";
		return isAnnounced ? "upcoming" : null;
	}
	const silent = lastMintAtMs <= nowMs - MINT_SILENCE_MS;
	return sales > 0 && maxSupply === null && silent ? "secondary" : "minting";
}
