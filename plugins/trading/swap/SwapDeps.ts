import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import type { Quoting } from "#plugins/trading/quotes/createQuoting.ts";
import type { Assets, Eligibility, Reference } from "#plugins/trading/registry/Asset.ts";

/** Bounds of the deployment's configuration. */
export type TradeBounds = {
	slippageBps: number;
	impactBpsMax: number;
	divergenceBpsMax: number;
	/** How much less than the feeds' value may be received. */
	referenceBpsMax: number;
	/** The least liquidity in microdollars; null: none is configured. */
	minLiquidityUsdMicros: bigint | null;
};

/** The dependencies of trades. */
export type SwapDeps = {
	clock: Clock;
	log: Log;
	db: Queryable;
	rpc: Pick<Rpc, "settle">;
	chainId: number;
	/** The address of Uniswap's SwapRouter02, the only contract that swaps are sent to. */
	router: Address;
	/** The address of the wrapped coin, which stands for the coin in routes. */
	wrapped: Address;
	bounds: TradeBounds;
	quoting: Quoting;
	assets: Assets;
	eligibility: Eligibility;
	reference: Reference;
	/** Returns whether operators require deep pools, by the setting `enforce_min_liquidity`. */
	isLiquidityEnforced(): Promise<boolean>;
};
