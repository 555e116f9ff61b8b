import { assert } from "#core/fault/assert.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";

/** Returns the provider's name of a chain from the registry. */
export function chainName(chains: ChainNames, chainId: number): string {
	const name = chains.nameOf(chainId);
	assert(name !== null, "a chain that is asked for is one of the registry's");
	return name;
}
