import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { field } from "#core/http/openapi/field.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { answerDepth } from "#plugins/market-index/routes/answerDepth.ts";
import { bookReadAtSchema } from "#plugins/market-index/schemas/bookReadAtSchema.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { depthLevelSchema } from "#plugins/market-index/schemas/depthLevelSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const UNREAD = "null where the book was not read and nothing of it was pushed: not known.";
const levels = (description: string) => z.array(depthLevelSchema).nullable().meta({ description });

const answerSchema = z
	.object({
		asks: levels(`Listings, the cheapest first; 50 levels at most; ${UNREAD}`),
		bids: levels(`Offers on the collection, the highest first; 50 levels at most; ${UNREAD}`),
		bookReadAt: bookReadAtSchema,
		observedAt: field.time("When this was read."),
	})
	.meta({ id: "Depth", description: "How deep an order book is on both sides." });

/** Serves both sides of a collection's order book by price. */
export function getDepth(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/depth",
		async ({ params, query }) =>
			answerDepth(context, await context.index.find(params.slug, query.chain)),
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: {
				200: answerSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "getCollectionDepth",
				tags: ["market"],
				summary: "Order book depth",
				description:
					"Price levels, the best first, 50 of each side at most, and one more for orders whose " +
					"price in ETH is not known. Asks are listings, bids are offers on the whole collection.",
			},
		},
	);
}
