import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import { marketFault } from "#plugins/market-index/faults.ts";

/**
 * Returns the chains that `NFT_DISCOVERY_CHAINS` names besides those indexed: their lists come from
 * the provider, and the index has only its data on them.
 */
export function discoveredChains(
	core: Pick<Core, "chains"> & { indexed: readonly Pick<Core["indexed"][number], "chain">[] },
	names: readonly string[],
): readonly Chain[] {
	const indexed = new Set(core.indexed.map(({ chain }) => chain.id));
	const named = new Map<number, Chain>();
	for (const name of names) {
		const chain = core.chains.bySlug(name);
		if (!chain) {
			const known = core.chains.all.map(({ slug }) => slug).join(", ");
			throw marketFault.discoveryChainUnknown({
				public: `NFT_DISCOVERY_CHAINS names "${name}", which is not defined. Defined are: ${known}.`,
			});
		}
		if (!indexed.has(chain.id)) named.set(chain.id, chain);
	}
	return [...named.values()];
}
