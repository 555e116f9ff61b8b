import { join } from "node:path";
import { z } from "zod";
import { jsonText } from "#core/config/fields.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { feedKey, feedsOf, usdFeeds } from "#plugins/prices/feed.ts";
import { createMemory } from "#plugins/prices/history/createMemory.ts";
import { pricesOver } from "#plugins/prices/pricesOver.ts";
import { runPrices } from "#plugins/prices/runPrices.ts";

const config = z.object({
	USD_FEEDS_JSON: jsonText(usdFeeds)
		.default({})
		.describe(
			"USD price feeds on chain, by chain id and token (the zero address is the chain's coin): " +
				'{"1":{"0x…":{"feed":"0x…","heartbeatSeconds":3600,"feedChain":1,"decimals":6,' +
				'"symbol":"USDC"}}}. Ethereum\'s ETH feed is built in.',
		),
});

/** Values currencies in USD and in ETH at any time, by price feeds on chain. */
export const pricesPlugin = definePlugin({
	name: "prices",
	version: "1",
	config,
	needs: {},
	offers: PricesKey,
	tables: { schema: "prices", folder: join(import.meta.dir, "migrations") },
	setup({ config: { USD_FEEDS_JSON }, core }) {
		const { chains, log } = core;
		const reached = new Set(core.reached.map(({ chain }) => chain.id));
		const { feeds, unreachable } = feedsOf(USD_FEEDS_JSON, { chains, reached });
		if (unreachable.length > 0) {
			const named = unreachable.map(({ priced, ...feed }) => {
				return `${priced.chainId}/${priced.currency} by ${feedKey(feed)}`;
			});
			log.warn("price feeds on chains that are not reached are not read", { feeds: named });
		}
		const memory = createMemory({ db: core.db, clock: core.clock, feeds });
		const running = runPrices(core, { feeds, memory });
		return {
			service: { ...pricesOver(chains, memory), onLearned: running.onLearned },
			jobs: running.jobs,
			start: running.start,
			stop: running.stop,
		};
	},
});
