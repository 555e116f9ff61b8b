import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider } from "#plugins/provider/contract.ts";

/** Everything that a buy depends on. None of it signs or stores. */
export type BuyDeps = {
	clock: Clock;
	chains: ChainRegistry;
	rpcOf(chainId: number): Rpc | null;
	provider: Provider;
	prices: Prices;
};
