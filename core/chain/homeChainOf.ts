import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";

/** The chain where wallets are linked, and which the specification names. */
export const SPECIFIED_HOME_ID = 4663;

/**
 * Returns the home chain that the configuration asks for: the one it names, else 4663. Undefined
 * where nobody defined it, and in a sandbox that names none: what it has decides there, and its
 * service must not reach for the real chain.
 */
export function homeChainOf(
	chains: Pick<ChainRegistry, "byId" | "bySlug">,
	{ TRADING_HOME_CHAIN: name, SANDBOX }: Pick<CoreConfig, "TRADING_HOME_CHAIN" | "SANDBOX">,
): Chain | undefined {
	if (name !== undefined) return chains.bySlug(name);
	return SANDBOX ? undefined : chains.byId(SPECIFIED_HOME_ID);
}
