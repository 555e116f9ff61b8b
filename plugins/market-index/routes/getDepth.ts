import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { readBookAt } from "#plugins/market-index/book/readBookAt.ts";
import { type DepthLevel, readDepth } from "#plugins/market-index/book/readDepth.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { bookReadAtSchema } from "#plugins/market-index/schemas/bookReadAtSchema.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const levelSchema = z.object({
	priceNative: z.number().nullable().meta({ description: "Per unit, an ETH equivalent." }),
	orders: z.int(),
	units: z.string().meta({ examples: ["3"] }),
});

/** How deep a collection's order book is on both sides. */
export function getDepth({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/depth",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const nowMs = core.clock.nowMs();
			index.touch(found.id, "detail");
			const [{ asks, bids }, bookReadAt] = await Promise.all([
				readDepth(core.db, { collectionId: found.id, nowMs }),
				readBookAt(core.db, found.id),
			]);
			return {
				asks: asks.map(renderLevel),
				bids: bids.map(renderLevel),
				bookReadAt,
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
					bookReadAt: bookReadAtSchema,
					observedAt: z.string(),
				}),
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
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
