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
		STAND_IN_COIN: z.string().refine(isAddress).describe("A coin that is worth two dollars."),
		STAND_IN_DOLLAR: z.string().refine(isAddress).optional().describe("A dollar of chain 4663."),
	}),
	needs: {},
	offers: PricesKey,
	setup({ config, core }) {
		const prices = fakePrices(core.chains);
		prices.setEth(2_000);
		prices.set({ chainId: ANVIL, currency: `0x${"0".repeat(40)}`, usd: 2_000, symbol: "ETH" });
		prices.set({ chainId: ANVIL, currency: config.STAND_IN_COIN, usd: 2 });
		const { STAND_IN_DOLLAR: currency } = config;
		if (currency) prices.set({ chainId: ROBINHOOD, currency, usd: 1, decimals: 6 });
		return { service: prices };
	},
});
