import { join } from "node:path";
import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { createContracts } from "#plugins/tokenomics/manifest/createContracts.ts";
import { manifestRoutes } from "#plugins/tokenomics/routes/manifestRoutes.ts";
import { tokenomicsConfig } from "#plugins/tokenomics/tokenomicsConfig.ts";

/** The token's economics: what revenue is split into, what is burned, and who says so. */
export const tokenomicsPlugin = definePlugin({
	name: "tokenomics",
	version: "1",
	config: z.object({ ...tokenomicsConfig }),
	needs: {},
	tables: { schema: "tokenomics", folder: join(import.meta.dir, "migrations") },
	setup({ core, config }) {
		const ending = new AbortController();
		const contracts = createContracts({ core, config });
		return {
			routes: manifestRoutes({ core, contracts, ending: ending.signal }),
			stop: () => ending.abort(),
		};
	},
});
