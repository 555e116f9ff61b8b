import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { pricesOver } from "#plugins/prices/pricesOver.ts";

/** What things are worth in USD and in ETH, now and then, as price feeds on chain say. */
export const pricesPlugin = definePlugin({
	name: "prices",
	version: "1",
	config: z.object({}),
	needs: {},
	offers: PricesKey,
	setup({ core }) {
		const service = pricesOver(core.chains, {
			rateAt: () => null,
			ethAt: () => null,
			has: () => false,
			hasEth: () => false,
			tokenOf: () => null,
		});
		return { service: { ...service, onLearned() {} } };
	},
});
