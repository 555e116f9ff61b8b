import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { answerOrders } from "#plugins/market-index/routes/answerOrders.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { orderPageSchema } from "#plugins/market-index/schemas/orderPageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { tokenIdParam } from "#plugins/market-index/schemas/tokenIdParam.ts";

/** Serves what is for sale in a collection, the cheapest first. */
export function getListings(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/listings",
		({ params, query }) =>
			answerOrders(context, { ...params, query, kinds: ["listing"], order: "asc" }),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				tokenId: tokenIdParam.optional(),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: {
				200: orderPageSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionListings",
				tags: ["market"],
				summary: "Lists what is for sale",
				description:
					"Active listings of the provider's book, the cheapest first; those whose price is " +
					"unknown come last. The whole book is read while somebody looks at the collection (its " +
					"detail, candles or stream); what the provider's stream pushes is here at any time.",
			},
		},
	);
}
