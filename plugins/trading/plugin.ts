import { join } from "node:path";
import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { holdingCommands } from "#plugins/trading/holdingTools.ts";
import { openRegistry } from "#plugins/trading/openRegistry.ts";
import { registryConfig } from "#plugins/trading/registryConfig.ts";
import { stockCommands } from "#plugins/trading/stockTools.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** Stock tokens on chain 4663: which there are, what they are worth, and who holds them. */
export const tradingPlugin = definePlugin({
	name: "trading",
	version: "1",
	config: z.object(registryConfig),
	needs: { wallets: WalletsKey, prices: PricesKey },
	tables: { schema: "trading", folder: join(import.meta.dir, "migrations") },
	setup({ core, config, needs: { wallets, prices } }) {
		const ending = new AbortController();
		const registry = openRegistry({ core, config, wallets, prices, ending: ending.signal });
		return {
			routes: registry.routes,
			jobs: registry.jobs,
			tools: registry.tools,
			commands: [...stockCommands, ...holdingCommands],
			start: registry.start,
			degraded: registry.degraded,
			async stop() {
				ending.abort();
				await registry.ended();
			},
		};
	},
});
