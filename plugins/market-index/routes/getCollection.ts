import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readCollectionDetail } from "#plugins/market-index/read/readCollectionDetail.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { collectionDetailSchema } from "#plugins/market-index/schemas/collectionDetailSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

/** Serves one collection: market, mint, last sale. */
export function getCollection(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug",
		async ({ params, query }) => {
			const found = await context.index.find(params.slug, query.chain);
			context.index.touch(found.id, "detail");
			return readCollectionDetail(context, found);
		},
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: { 200: collectionDetailSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "getCollection",
				tags: ["market"],
				summary: "Shows one collection",
				description:
					"404 `not_found` for a name nobody has; 422 `chain_required` where several chains " +
					"have one and `chain` names none.",
			},
		},
	);
}
