import type { ChainRegistry } from "#core/chain/chainRegistry.ts";

/** The provider's names for chains and ours. */
export type ChainNames = {
	/** Null for a chain that nobody here knows. */
	idOf(name: string | null): number | null;
	nameOf(chainId: number): string | null;
};

/** Where the provider spells a chain otherwise than we do, by id. */
const SPELLED: Readonly<Record<number, string>> = {
	33139: "ape_chain",
	80094: "bera_chain",
	988: "stablechain",
};

/** Not HyperEVM, which we also know by that name, but the exchange beside it. */
const NO_EVM_CHAIN = "hyperliquid";

/**
 * Reads every spelling that the registry knows (`matic`), and writes the provider's own: a chain it
 * does not know is left out of a filter without a word, and the answer is then of all chains.
 */
export function createChainNames(chains: ChainRegistry): ChainNames {
	return {
		idOf: (name) =>
			name === null || name.toLowerCase() === NO_EVM_CHAIN
				? null
				: (chains.bySlug(name)?.id ?? null),
		nameOf: (chainId) => SPELLED[chainId] ?? chains.byId(chainId)?.slug ?? null,
	};
}
