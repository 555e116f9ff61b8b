import { join } from "node:path";
import { Elysia } from "elysia";
import { z } from "zod";
import { contribute, definePlugin } from "#core/plugin/Plugin.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { TradingKey } from "#plugins/trading/contract.ts";
import { createTokenSource } from "#plugins/trading/createTokenSource.ts";
import { holdingCommands } from "#plugins/trading/holdingTools.ts";
import { openRegistry, STOCK_CHAIN_ID } from "#plugins/trading/openRegistry.ts";
import { minLiquiditySetting, openTrades } from "#plugins/trading/openTrades.ts";
import { pastStockCommands } from "#plugins/trading/pastStockCommands.ts";
import { registryConfig } from "#plugins/trading/registryConfig.ts";
import { readSettledTrades } from "#plugins/trading/sql/trades.ts";
import { stockCommands } from "#plugins/trading/stockTools.ts";
import { tradeCommands } from "#plugins/trading/tradeCommands.ts";
import { tradeConfig } from "#plugins/trading/tradeConfig.ts";
import { TradingSettingPoint, WalletsKey } from "#plugins/wallets/contract.ts";

/** Offers stock tokens on chain 4663: the registry, prices, holdings, and trades. */
export const tradingPlugin = definePlugin({
	name: "trading",
	version: "1",
	config: z.object({ ...registryConfig, ...tradeConfig }),
	needs: { wallets: WalletsKey, prices: PricesKey },
	offers: TradingKey,
	contributes: [contribute(TradingSettingPoint, minLiquiditySetting)],
	tables: { schema: "trading", folder: join(import.meta.dir, "migrations") },
	setup({ core, config, needs: { wallets, prices } }) {
		const ending = new AbortController();
		const { signal } = ending;
		const registry = openRegistry({ core, config, wallets, prices, ending: signal });
		const { assets, reference, averages, eligibility } = registry;
		const rpc = registry.rpcFor("intents");
		const trades = openTrades({
			...{ core, config, wallets, rpc, assets, reference, averages, eligibility },
			ending: signal,
		});
		const { TRADE_V3_ROUTER, TRADE_V3_QUOTER, TRADE_V4_QUOTER, TRADE_V3_FACTORY } = config;
		wallets.execution.tokens.register(
			createTokenSource({
				...{ db: core.db, chainId: STOCK_CHAIN_ID, assets, reference, averages },
				unpricedUsdMicrosMax: BigInt(config.TRADE_UNPRICED_USD_MAX) * 1_000_000n,
				contracts: new Map([
					[TRADE_V3_ROUTER, "the router of trades"],
					[TRADE_V3_QUOTER, "the quoter of trades"],
					[TRADE_V4_QUOTER, "the quoter of trades"],
					[TRADE_V3_FACTORY, "the factory of pools"],
				]),
			}),
		);
		return {
			service: { settledTrades: (asked) => readSettledTrades(core.db, asked) },
			routes: new Elysia().use(registry.routes).use(trades.routes),
			jobs: registry.jobs,
			tools: [...registry.tools, ...trades.tools],
			commands: [...stockCommands, ...pastStockCommands, ...holdingCommands, ...tradeCommands],
			names: registry.names,
			start: registry.start,
			degraded: registry.degraded,
			async stop() {
				ending.abort();
				await registry.ended();
			},
		};
	},
});
