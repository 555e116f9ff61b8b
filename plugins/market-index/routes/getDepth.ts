import { Elysia } from "elysia";
import { z } from "zod";
import { type DepthLevel, readDepth } from "#plugins/market-index/book/readDepth.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const levelSchema = z.object({
	priceNative: z.number().nullable().meta({ description: "Per unit, an ETH equivalent." }),
	orders: z.int(),
	units: z.string(),
});

/** How deep a collection's order book is on both sides. */
export function getDepth({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/depth",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const nowMs = core.clock.nowMs();
			const { asks, bids } = await readDepth(core.db, { collectionId: found.id, nowMs });
			return {
				asks: asks.map(renderLevel),
				bids: bids.map(renderLevel),
				observedAt: new Date(nowMs).toISOString(),
			};
		},
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: {
				200: z.object({
					asks: z.array(levelSchema),
					bids: z.array(levelSchema),
					observedAt: z.string(),
				}),
			},
			detail: {
				tags: ["market"],
				summary: "Order book depth",
				description:
					"Price levels, the best first, 50 of each side at most. Asks are listings, bids are " +
					"offers on the whole collection.",
			},
		},
	);
}

function renderLevel({ unitNative, orders, units }: DepthLevel) {
	return { priceNative: displayNative(unitNative), orders, units };
}
