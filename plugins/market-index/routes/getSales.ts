import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readSales, SALES_RANGES } from "#plugins/market-index/read/readSales.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageCoverageSchema } from "#plugins/market-index/schemas/pageCoverageSchema.ts";
import { salePointSchema } from "#plugins/market-index/schemas/salePointSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { tileSchema } from "#plugins/market-index/schemas/tileSchema.ts";

const answerSchema = z
	.object({
		points: z.array(salePointSchema).meta({ description: "Accepted sales, newest first." }),
		tiles: z
			.array(tileSchema)
			.length(13)
			.meta({ description: "The figures of the last 24 hours, always all of them in one order." }),
		coverage: pageCoverageSchema("`points`"),
		page: pageSchema,
	})
	.meta({ id: "SalesPage", description: "A page of a collection's sales, with its figures." });

/** Serves a collection's accepted sales as points, and the stat strip. */
export function getSales(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/sales",
		async ({ params, query }) =>
			readSales(context, await context.index.find(params.slug, query.chain), {
				range: query.range,
				cursor: query.cursor,
				limit: query.limit,
			}),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				range: z
					.enum(SALES_RANGES)
					.default("all")
					.meta({ description: "Sales of this long until now." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: {
				200: answerSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionSales",
				tags: ["market"],
				summary: "Lists a collection's sales and its 13 figures",
				description:
					"Points are newest first and reach back as far as `range`, which begins at a whole " +
					"minute. The tiles are about the last 24 hours whatever the range; a figure that is " +
					"not known is null. The median is over prices for one unit, sale by sale. " +
					"`coverage` says where sales of the page's time may be missing.",
			},
		},
	);
}
