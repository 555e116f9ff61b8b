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

const KINDS = ["item_offer", "collection_offer", "trait_offer"] as const;

/** Serves offers for a collection, its tokens or its traits, the highest first. */
export function getOffers(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/offers",
		({ params, query }) => {
			const kinds = query.kind === undefined ? KINDS : [query.kind];
			return answerOrders(context, { ...params, query, kinds, order: "desc" });
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				kind: z.enum(KINDS).optional().meta({ description: "Only offers of this kind." }),
				tokenId: tokenIdParam.optional(),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: {
				200: orderPageSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionOffers",
				tags: ["market"],
				summary: "Lists offers",
				description:
					"Active offers of the provider's book, the highest first, unknown prices last.",
			},
		},
	);
}
