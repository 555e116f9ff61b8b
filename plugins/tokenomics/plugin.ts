import { join } from "node:path";
import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { buybackConfig } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { openBuyback } from "#plugins/tokenomics/buyback/openBuyback.ts";
import { createContracts } from "#plugins/tokenomics/manifest/createContracts.ts";
import { manifestRoutes } from "#plugins/tokenomics/routes/manifestRoutes.ts";
import { tokenomicsConfig } from "#plugins/tokenomics/tokenomicsConfig.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** The token's economics: what revenue is split into, what is burned, and who says so. */
export const tokenomicsPlugin = definePlugin({
	name: "tokenomics",
	version: "1",
	config: z.object({ ...tokenomicsConfig, ...buybackConfig }),
	needs: { wallets: WalletsKey, prices: PricesKey },
	tables: { schema: "tokenomics", folder: join(import.meta.dir, "migrations") },
	setup({ core, config, needs }) {
		const ending = new AbortController();
		const contracts = createContracts({ core, config });
		const buyback = openBuyback({ core, config, ...needs, contracts, ending: ending.signal });
		return {
			routes: manifestRoutes({ core, contracts, ending: ending.signal }),
			jobs: buyback.jobs,
			start: buyback.start,
			async stop() {
				ending.abort();
				await buyback.ended();
			},
		};
	},
});
