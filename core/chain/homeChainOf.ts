import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";

/** The chain where wallets are linked, by the specification. */
export const SPECIFIED_HOME_ID = 4663;

/**
 * Returns the configured home chain, by default 4663. Undefined if it is not defined, and in a
 * sandbox that configures none: its service must not use the real chain.
 */
export function homeChainOf(
	chains: Pick<ChainRegistry, "byId" | "bySlug">,
	{ TRADING_HOME_CHAIN: name, SANDBOX }: Pick<CoreConfig, "TRADING_HOME_CHAIN" | "SANDBOX">,
): Chain | undefined {
	if (name !== undefined) return chains.bySlug(name);
	return SANDBOX ? undefined : chains.byId(SPECIFIED_HOME_ID);
}
