// Builds quotes, swaps and trades, with their routes and tools.

import { z } from "zod";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import { TRADE_CHAIN_ID } from "#plugins/trading/limits.ts";
import type { PoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import { createHostedRouter } from "#plugins/trading/quotes/createHostedRouter.ts";
import { createLocalQuoter } from "#plugins/trading/quotes/createLocalQuoter.ts";
import { createQuoting } from "#plugins/trading/quotes/createQuoting.ts";
import type { QuoteSource } from "#plugins/trading/quotes/QuoteSource.ts";
import { createV4Quoter } from "#plugins/trading/quotes/v4Quoter.ts";
import type { Assets, Eligibility } from "#plugins/trading/registry/createAssets.ts";
import { tradeRoutes } from "#plugins/trading/routes/tradeRoutes.ts";
import type { SwapDeps } from "#plugins/trading/swap/planSwap.ts";
import { tradeKind } from "#plugins/trading/swap/tradeKind.ts";
import { createTrades } from "#plugins/trading/trade/createTrades.ts";
import type { tradeConfig } from "#plugins/trading/tradeConfig.ts";
import { tradeTools } from "#plugins/trading/tradeTools.ts";
import {
	readTradingSetting,
	type TradingSetting,
	type Wallets,
} from "#plugins/wallets/contract.ts";

export type TradesOptions = {
	core: Core;
	config: z.output<z.ZodObject<typeof tradeConfig>> & {
		TRADE_SETTLEMENT_ASSETS: readonly `0x${string}`[];
		TRADE_V3_FACTORY: `0x${string}`;
	};
	wallets: Wallets;
	/** Calls chain 4663 for requests of users and for money movements. */
	rpc: Rpc;
	assets: Assets;
	reference: References;
	averages: PoolAverages;
	eligibility: Eligibility;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

const MICROS = 1_000_000n;
const MIN_LIQUIDITY_KEY = "enforce_min_liquidity";

/** The number of routes grows with each connector, so there are few. */
const CONNECTORS_MAX = 3;

/** A setting that operators can change while the service runs. */
export const minLiquiditySetting: TradingSetting = {
	shown: MIN_LIQUIDITY_KEY,
	key: /^enforce_min_liquidity$/,
	schema: z.boolean(),
	description:
		"Whether trades are refused whose shallowest pool holds less than TRADE_MIN_LIQUIDITY_USD. " +
		"Off unless set.",
};

/** Builds quotes, swaps and the record of trades, with their routes and tools. */
export function openTrades(options: TradesOptions) {
	const { core, config, wallets, rpc, assets, reference, averages, eligibility, ending } = options;
	const { clock, log, db } = core;
	const wrapped = core.chains.byId(TRADE_CHAIN_ID)?.wrappedNative;
	assert(wrapped, "the wrapped coin of chain 4663 is built in");
	const quoter = config.TRADE_V3_QUOTER;
	const pools = () => assets.pools();
	const connectors = [wrapped, ...config.TRADE_SETTLEMENT_ASSETS.slice(0, CONNECTORS_MAX - 1)];
	const sources: QuoteSource[] = [
		createLocalQuoter({ rpc, quoter, pools, connectors: () => connectors }),
	];
	if (config.ROUTER_BASE_URL !== undefined) {
		sources.push(
			createHostedRouter({
				...{ baseUrl: config.ROUTER_BASE_URL.replace(/\/+$/, ""), pools, budget: core.budget },
				...{ apiKey: config.ROUTER_API_KEY, callsPerSecond: config.ROUTER_CALLS_PER_SECOND },
				...{ slippageBps: config.TRADE_SLIPPAGE_BPS_MAX, factory: config.TRADE_V3_FACTORY },
			}),
		);
	}
	const v4 = config.TRADE_V4_POOLS_JSON;
	if (v4.length > 0) {
		sources.push(createV4Quoter({ rpc, quoter: config.TRADE_V4_QUOTER, pools: v4 }));
	}
	const least = config.TRADE_MIN_LIQUIDITY_USD;
	const deps: SwapDeps = {
		...{ clock, log, db, rpc, chainId: TRADE_CHAIN_ID, wrapped, assets, reference, eligibility },
		averages,
		router: config.TRADE_V3_ROUTER,
		bounds: {
			slippageBps: config.TRADE_SLIPPAGE_BPS_MAX,
			impactBpsMax: config.TRADE_IMPACT_BPS_MAX,
			divergenceBpsMax: config.TRADE_DIVERGENCE_BPS_MAX,
			referenceBpsMax: config.TRADE_REFERENCE_BPS_MAX,
			closedBpsMax: config.TRADE_CLOSED_BPS_MAX,
			unpricedUsdMicrosMax: BigInt(config.TRADE_UNPRICED_USD_MAX) * MICROS,
			minLiquidityUsdMicros: least === 0 ? null : BigInt(least) * MICROS,
		},
		quoting: createQuoting({
			...{ clock, local: { rpc, quoter }, sources },
			deadlineMs: config.TRADE_QUOTE_TIMEOUT_MS,
		}),
		isLiquidityEnforced: async () => (await readTradingSetting(db, MIN_LIQUIDITY_KEY)) === true,
	};
	wallets.execution.register(tradeKind(deps));
	const trades = createTrades({ ...deps, wallets, ending });
	return {
		routes: tradeRoutes({ trades, wallets }),
		tools: tradeTools({ trades, wallets, clock, ending }),
	};
}
