import {
	type Lifecycle,
	type LifecycleFacts,
	MINT_SILENCE_MS,
} from "#plugins/market-index/lifecycle/Lifecycle.ts";

/**
 * Returns the stored lifecycle: a pure function of facts, so replays and reorgs cannot make it
 * wrong.
 *
 * A collection that was traded before the index began has sales and no seen mint; it is secondary,
 * whatever its maximum, and so is one that only the provider knows, once it has owners or a floor.
 * A collection without any fact is upcoming only if its mint was announced; otherwise null.
 * `lifecycleSql` says the same in SQL, and a test compares them.
 */
export function lifecycleOf(facts: LifecycleFacts, nowMs: number): Lifecycle | null {
	const { mintedUnits, firstMintAtMs, lastMintAtMs, sales, isTraded, isAnnounced } = facts;
	// A contract that answers 0 has not stated a maximum.
	const maxSupply = facts.maxSupply === 0n ? null : facts.maxSupply;
	if (maxSupply !== null && mintedUnits >= maxSupply) return "minted_out";
	if (firstMintAtMs === null || lastMintAtMs === null) {
		if (sales > 0 || isTraded) return "secondary";
		return isAnnounced ? "upcoming" : null;
	}
	const silent = lastMintAtMs <= nowMs - MINT_SILENCE_MS;
	return sales > 0 && maxSupply === null && silent ? "secondary" : "minting";
}
