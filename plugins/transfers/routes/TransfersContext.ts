import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Log } from "#core/log/Log.ts";
import type { KnownChains } from "#plugins/transfers/checkTransfers.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** What the routes of wallet transfers need. */
export type TransfersContext = {
	wallets: Wallets;
	log: Log;
	chains: KnownChains;
	/** Returns null where the chain is not served here. */
	rpcOf(chainId: number): Rpc | null;
	newId(): string;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};
