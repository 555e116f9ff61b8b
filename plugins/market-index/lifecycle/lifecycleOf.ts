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
 * or a floor. `lifecycleSql` says the same in SQL, and a test compares them.
 */
export function lifecycleOf(facts: LifecycleFacts, nowMs: number): Lifecycle {
	const { mintedUnits, firstMintAtMs, lastMintAtMs, sales, isTraded } = facts;
	// A contract that answers 0 has not said how many there can be.
	const maxSupply = facts.maxSupply === 0n ? null : facts.maxSupply;
	if (maxSupply !== null && mintedUnits >= maxSupply) return "minted_out";
	if (firstMintAtMs === null || lastMintAtMs === null) {
		return sales > 0 || isTraded ? "secondary" : "upcoming";
	}
	const silent = lastMintAtMs <= nowMs - MINT_SILENCE_MS;
	return sales > 0 && maxSupply === null && silent ? "secondary" : "minting";
}
