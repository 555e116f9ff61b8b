import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { homeChainOf, SPECIFIED_HOME_ID } from "#core/chain/homeChainOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { tokenomicsFault } from "#plugins/tokenomics/faults.ts";
import { manifests } from "#plugins/tokenomics/sql/manifests.ts";
import type { TokenomicsConfig } from "#plugins/tokenomics/tokenomicsConfig.ts";

/** The contracts of the token on one chain. */
export type TokenContracts = {
	chainId: number;
	token: Address;
	/** Null: there is none yet, and nothing is split. */
	router: Address | null;
	/** Null: there is none yet, and nothing is bought back. */
	burner: Address | null;
	/** Nothing of them is before this block. */
	fromBlock: number;
	/** Who says so: operators, by their manifest of this version, or the configuration. */
	saidBy: { kind: "manifest"; version: number } | { kind: "configuration" };
};

export type Contracts = {
	/** The chain that the token's economics are on; null where this deployment knows none. */
	home: ChainAccess | null;
	homeChain: Chain | null;
	/** Currencies of revenue that count before others, whoever pays in what. */
	currencies: readonly Address[];
	/**
	 * Returns the token's contracts on a chain, as they are in force now: the manifest of operators,
	 * else the configuration for the home chain. Null: the token is not launched there.
	 */
	addressesOf(chainId: number, db?: Queryable): Promise<TokenContracts | null>;
};

/** Says which contracts count. A manifest, once set, wins over the configuration as a whole. */
export function createContracts(options: {
	core: Pick<Core, "chains" | "reached" | "db">;
	config: TokenomicsConfig & { BUYBACK_CURRENCIES: readonly Address[] };
}): Contracts {
	const { core, config } = options;
	refuseNamedTwice(config);
	const homeChain = homeOf(core, config);
	const home = core.reached.find(({ chain }) => chain.id === homeChain?.id) ?? null;
	return {
		...{ home, homeChain, currencies: config.BUYBACK_CURRENCIES },
		async addressesOf(chainId, db = core.db) {
			const manifest = await manifests.read(db, chainId);
			if (manifest) {
				const { token, router, burner, fromBlock, version } = manifest;
				const saidBy = { kind: "manifest", version } as const;
				return { chainId, token, router, burner, fromBlock, saidBy };
			}
			return chainId === homeChain?.id ? namedIn(config, chainId) : null;
		},
	};
}

/** Refuses one address in two variables: it would be followed as one of the two alone. */
function refuseNamedTwice(config: TokenomicsConfig): void {
	const names = ["TOKEN_ADDRESS", "REVENUE_ROUTER_ADDRESS", "BUYBACK_BURN_ADDRESS"] as const;
	for (const [at, name] of names.entries()) {
		const other = names.slice(at + 1).find((one) => config[name] && config[one] === config[name]);
		if (!other) continue;
		const said = `${name} and ${other} are both ${config[name]}`;
		throw tokenomicsFault.contractNamedTwice({ public: `${said}.` });
	}
}

/** Returns the home chain as wallets find it: the named one, else 4663, else the sandbox's. */
function homeOf(
	{ chains, reached }: Pick<Core, "chains" | "reached">,
	config: TokenomicsConfig,
): Chain | null {
	const named = homeChainOf(chains, config);
	if (named || config.TRADING_HOME_CHAIN !== undefined || !config.SANDBOX) return named ?? null;
	const own = reached.find(({ chain }) => chain.id === SPECIFIED_HOME_ID);
	return (own ?? reached[0])?.chain ?? null;
}

function namedIn(config: TokenomicsConfig, chainId: number): TokenContracts | null {
	const { TOKEN_ADDRESS: token, TOKEN_FROM_BLOCK: fromBlock } = config;
	if (token === undefined) return null;
	const { REVENUE_ROUTER_ADDRESS: router = null, BUYBACK_BURN_ADDRESS: burner = null } = config;
	return { chainId, token, router, burner, fromBlock, saidBy: { kind: "configuration" } };
}
