import type { ChainRegistry } from "#core/chain/chainRegistry.ts";

/** Translates the provider's names of chains to ids, and back. */
export type ChainNames = {
	/** Returns null for an unknown chain. */
	idOf(name: string | null): number | null;
	nameOf(chainId: number): string | null;
};

/** The provider's names that differ from ours, by chain id. */
const SPELLED: Readonly<Record<number, string>> = {
	33139: "ape_chain",
	80094: "bera_chain",
	988: "stablechain",
};

/** Not HyperEVM, which we also know by that name, but the exchange beside it. */
const NO_EVM_CHAIN = "hyperliquid";

/**
 * Makes the translation. It reads every spelling of the registry (`matic`), and writes the
 * provider's own: the provider ignores a filter by an unknown chain, and its answer would then be
 * about all chains.
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
