import type { Chain } from "#core/chain/Chain.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";

/** All defined chains, by every name they have. */
export type ChainRegistry = {
	readonly all: readonly Chain[];
	/**
	 * Finds a chain by slug, alias or decimal chain id, in any case: `matic`, `Ape_Chain`, `8453`.
	 */
	bySlug(text: string): Chain | undefined;
	byId(id: number): Chain | undefined;
};

const chainFault = defineFaults({
	chainDefinitionInvalid: {
		status: 500,
		retry: "never",
		public: "Two chains share a name or an id, or one is named badly.",
	},
});

/**
 * Makes the registry; throws for definitions that could be confused: with two chains under one
 * name, money would go to the one defined last.
 */
export function createChainRegistry(chains: readonly Chain[]): ChainRegistry {
	const byName = new Map<string, Chain>();
	for (const chain of chains) {
		if (!Number.isSafeInteger(chain.id) || chain.id <= 0) {
			throw invalid(`the chain "${chain.slug}" has the id ${chain.id}`);
		}
		// Ids are names too, so one map finds every conflict, even of a slug with an id.
		for (const name of [chain.slug, ...chain.aliases, String(chain.id)]) {
			if (!NAME.test(name)) throw invalid(`"${name}" cannot name a chain`);
			const other = byName.get(name);
			if (other) {
				throw invalid(
					`"${name}" means both ${other.slug} (${other.id}) and ${chain.slug} (${chain.id})`,
				);
			}
			byName.set(name, chain);
		}
	}
	return {
		all: [...chains],
		bySlug: (text) => byName.get(text.toLowerCase()),
		byId: (id) => byName.get(String(id)),
	};
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function invalid(detail: string) {
	return chainFault.chainDefinitionInvalid({ public: `Chain definitions: ${detail}.`, detail });
}
