import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { readSales, SALES_RANGES } from "#plugins/market-index/read/readSales.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { cursorParam } from "#plugins/market-index/schemas/cursorParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";
import { salePointSchema } from "#plugins/market-index/schemas/salePointSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { tileSchema } from "#plugins/market-index/schemas/tileSchema.ts";

/** A collection's accepted sales as points, and the stat strip. */
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
				cursor: cursorParam,
			}),
			response: {
				200: z.object({
					points: z.array(salePointSchema),
					tiles: z.array(tileSchema).length(13),
					page: pageSchema,
				}),
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				tags: ["market"],
				summary: "Lists a collection's sales and its 13 figures",
				description:
					"Points are newest first and reach back as far as `range`, which begins at a whole " +
					"minute. The tiles are about the last 24 hours whatever the range; a figure that is " +
					"not known is null. The median is over prices for one unit, sale by sale.",
			},
		},
	);
}
