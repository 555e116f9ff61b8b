import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Log } from "#core/log/Log.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** What the routes of buying need. */
export type BuyContext = {
	wallets: Wallets;
	log: Log;
	chains: ChainRegistry;
	/** The chains that are served here, in the deployment's order. */
	served: readonly Chain[];
	/** Aborts when the service ends. */
	ending: AbortSignal;
};
