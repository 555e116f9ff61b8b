import { z } from "zod";
import { httpFault } from "#core/http/httpFault.ts";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { type MarketIndex, MarketIndexKey } from "#plugins/market-index/contract.ts";

/** An index that knows no collection: what moves money here is asked for by contract. */
export const indexStandIn = definePlugin({
	name: "index-stand-in",
	version: "1",
	config: z.object({}),
	needs: {},
	offers: MarketIndexKey,
	setup() {
		const find = () => Promise.reject(httpFault.notFound());
		return { service: { find } as unknown as MarketIndex };
	},
});
