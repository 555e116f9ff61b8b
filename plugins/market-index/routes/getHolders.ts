import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { answerHolders } from "#plugins/market-index/routes/answerHolders.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { holderSchema } from "#plugins/market-index/schemas/holderSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const answerSchema = z
	.object({
		data: z.array(holderSchema).nullable().meta({
			description: "Holders, the largest first; null until the walk is done: not known.",
		}),
		page: pageSchema,
	})
	.meta({ id: "HolderPage", description: "A page of a collection's holders." });

/** Serves a collection's holders, the largest first. */
export function getHolders(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/holders",
		async ({ params, query }) =>
			answerHolders(context, await context.index.find(params.slug, query.chain), query),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: {
				200: answerSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionHolders",
				tags: ["market"],
				summary: "Lists holders",
				description:
					"The largest first, from the service's own walk over the contract's transfers. `data` is " +
					"null until that walk is done.",
			},
		},
	);
}
