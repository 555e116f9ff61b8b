import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { fakePrices } from "#test/harness/fakes.ts";

const ANVIL = 31_337;
const ROBINHOOD = 4_663;
const isAddress = (text: string): text is `0x${string}` => /^0x[0-9a-f]{40}$/.test(text);

/** A stand-in of prices with rates that never go stale: the test's clock is ahead of every feed. */
export const pricesStandIn = definePlugin({
	name: "prices-stand-in",
	version: "1",
	config: z.object({
		STAND_IN_ETH_USD: z.coerce.number().default(2_000).describe("What ETH is worth."),
		STAND_IN_COIN: z.string().refine(isAddress).describe("A coin that is worth two dollars."),
		STAND_IN_DOLLAR: z
			.string()
			.transform((text) => text.split(",").filter(isAddress))
			.default([])
			.describe("Dollars of chain 4663, with commas."),
	}),
	needs: {},
	offers: PricesKey,
	setup({ config, core }) {
		const prices = fakePrices(core.chains);
		const usd = config.STAND_IN_ETH_USD;
		prices.setEth(usd);
		prices.set({ chainId: ANVIL, currency: `0x${"0".repeat(40)}`, usd, symbol: "ETH" });
		prices.set({ chainId: ANVIL, currency: config.STAND_IN_COIN, usd: 2 });
		for (const currency of config.STAND_IN_DOLLAR) {
			prices.set({ chainId: ROBINHOOD, currency, usd: 1, decimals: 6 });
		}
		return { service: prices };
	},
});
