import { join } from "node:path";
import { zeroAddress } from "viem";
import { z } from "zod";
import { MULTICALL } from "#plugins/trading/reads/settleViews.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { openScript } from "#test/bench/measure/openScript.ts";
import type { TradingPlace } from "#test/bench/measure/openTrading.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { compileRuntime } from "#test/harness/compileRuntime.ts";
import { openStockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import { stockSettings } from "#test/sandbox/stocks/stockSettings.ts";

const BLOCK_EVERY_SECONDS = 1;
const DAY_SECONDS = 86_400;
/** Funds of each wallet, in base units: 500 USDG. */
const PURSE_RAW = 500n * 1_000_000n;
const deskSchema = z.object({ issuerUrl: z.string(), routerUrl: z.string() });

/**
 * Starts a chain 4663 with the sandbox's stocks and pools, the issuer's list, and the hosted router
 * in a process of its own. The market's chain is there too, and empty: nothing is indexed
 * meanwhile.
 */
export async function startStockTrading(scope: Scope): Promise<TradingPlace> {
	const [market, anvil] = await Promise.all([
		startAnvil(),
		startAnvil({ args: ["--chain-id", "4663"] }),
	]);
	scope.defer(market.stop);
	const stop = scope.defer(anvil.stop);
	await anvil.rpc("anvil_setLoggingEnabled", [false]);
	const world = await openStockWorld(anvil.url);
	// The real chain has Multicall3, by which pools and feeds are read in one call.
	await anvil.rpc("anvil_setCode", [MULTICALL, compileRuntime("Together").code]);
	const desk = openScript(scope, [
		join(import.meta.dir, "../measure/stockDeskProcess.ts"),
		anvil.url,
	]);
	const { issuerUrl, routerUrl } = deskSchema.parse(await desk.line());
	const { pools, feeds } = stockSettings(world);
	const { usdg } = world.addresses;
	const usdFeeds = {
		4663: {
			[zeroAddress]: { feed: world.feeds["ETH"], heartbeatSeconds: DAY_SECONDS },
			[usdg]: { feed: world.feeds["USDG"], heartbeatSeconds: DAY_SECONDS, symbol: "USDG" },
		},
	};
	return {
		chain: {
			...{ url: anvil.url, wsUrl: anvil.wsUrl, pid: anvil.pid, usdFeeds },
			...{ call: anvil.rpc, stop },
		},
		env: {
			CHAIN_RPC_URLS_JSON: JSON.stringify({
				31337: [market.url, market.wsUrl],
				4663: [anvil.url, anvil.wsUrl],
			}),
			USD_FEEDS_JSON: JSON.stringify(usdFeeds),
			TRADING_HOME_CHAIN: "robinhood",
			STOCK_ASSETS_BASE_URL: issuerUrl,
			ROUTER_BASE_URL: routerUrl,
			// A hosted router without a rate limit.
			ROUTER_CALLS_PER_SECOND: "1000",
			TRADE_POOLS_JSON: JSON.stringify(pools),
			STOCK_FEEDS_JSON: JSON.stringify(feeds),
			STOCK_MARKET_HOURS: "always",
			STOCK_FEED_SILENT_SECONDS: String(DAY_SECONDS),
			STOCK_ELIGIBILITY: "open",
		},
		async prepare(addresses) {
			for (const address of addresses) {
				await world.give(usdg, address as `0x${string}`, PURSE_RAW);
			}
			await anvil.rpc("evm_setAutomine", [false]);
			await anvil.rpc("evm_setIntervalMining", [BLOCK_EVERY_SECONDS]);
		},
	};
}
