import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import type { Quoting } from "#plugins/trading/quotes/createQuoting.ts";
import type { Assets, Eligibility, Reference } from "#plugins/trading/registry/Asset.ts";

/** Bounds of the deployment, as its configuration says. */
export type TradeBounds = {
	slippageBps: number;
	impactBpsMax: number;
	divergenceBpsMax: number;
	/** How much less than by feeds may be received. */
	referenceBpsMax: number;
	/** In microdollars; null: none is configured. */
	minLiquidityUsdMicros: bigint | null;
};

/** What trades are made of and with. */
export type SwapDeps = {
	clock: Clock;
	log: Log;
	db: Queryable;
	rpc: Pick<Rpc, "settle">;
	chainId: number;
	/** Uniswap's SwapRouter02: the one contract that swaps are sent to. */
	router: Address;
	/** The wrapped coin, which the router knows it by. */
	wrapped: Address;
	bounds: TradeBounds;
	quoting: Quoting;
	assets: Assets;
	eligibility: Eligibility;
	reference: Reference;
	/** Whether operators want pools to be deep, by the setting `enforce_min_liquidity`. */
	isLiquidityEnforced(): Promise<boolean>;
};
