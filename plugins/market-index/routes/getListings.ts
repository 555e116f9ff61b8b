import { Elysia } from "elysia";
import { z } from "zod";
import { readOrderPage } from "#plugins/market-index/book/readOrderPage.ts";
import { renderOrder } from "#plugins/market-index/book/renderOrder.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { usdAt } from "#plugins/market-index/read/usdAt.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { cursorParam } from "#plugins/market-index/schemas/cursorParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { orderSchema } from "#plugins/market-index/schemas/orderSchema.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { tokenIdParam } from "#plugins/market-index/schemas/tokenIdParam.ts";

/** What is for sale in a collection, the cheapest first. */
export function getListings(context: RouteContext) {
	const { core, index } = context;
	return new Elysia().get(
		"/collections/:slug/listings",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const nowMs = core.clock.nowMs();
			const { orders, page } = await readOrderPage(core.db, {
				collectionId: found.id,
				kinds: ["listing"],
				tokenId: query.tokenId ?? null,
				order: "asc",
				nowMs,
				cursor: query.cursor,
				limit: query.limit,
			});
			const usdOf = usdAt(context.prices, nowMs);
			return { data: orders.map((order) => renderOrder(order, usdOf)), page };
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				tokenId: tokenIdParam.optional(),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam,
			}),
			response: { 200: z.object({ data: z.array(orderSchema), page: pageSchema }) },
			detail: {
				tags: ["market"],
				summary: "Lists what is for sale",
				description:
					"Active listings of the provider's book, the cheapest first; those whose price is " +
					"unknown come last. Kept current while somebody looks at the collection.",
			},
		},
	);
}
