import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readCandlePage } from "#plugins/market-index/read/readCandlePage.ts";
import { candleSchema } from "#plugins/market-index/schemas/candleSchema.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageCoverageSchema } from "#plugins/market-index/schemas/pageCoverageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const CANDLES_MAX = 500;

const timeParam = z.iso
	.datetime({ offset: true, error: "must be a time like 2026-03-01T12:00:00.000Z" })
	.optional();

const answerSchema = z
	.object({
		candles: z.array(candleSchema).meta({ description: "Candles, newest last." }),
		coverage: pageCoverageSchema("`candles`"),
		page: pageSchema,
	})
	.meta({ id: "CandlePage", description: "A page of candles; the next page is older." });

/** Serves a collection's candles, newest last. */
export function getCandles(context: RouteContext) {
	const { index } = context;
	return new Elysia().get(
		"/collections/:slug/candles",
		async ({ params, query }) => {
			const { interval, before, cursor, limit } = query;
			const found = await index.find(params.slug, query.chain);
			index.touch(found.id, "candles");
			return readCandlePage(context, {
				collection: found,
				interval,
				before: before === undefined ? null : new Date(before),
				cursor,
				limit,
			});
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				interval: z
					.enum(["1m", "15m", "30m", "1h", "4h", "1d"])
					.default("1h")
					.meta({ description: "How long one candle is." }),
				before: timeParam.meta({
					description: "Only candles that open before this time.",
					examples: ["2026-03-01T12:00:00.000Z"],
				}),
				cursor: cursorParam(),
				limit: limitParam(CANDLES_MAX, CANDLES_MAX),
			}),
			response: { 200: answerSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionCandles",
				tags: ["market"],
				summary: "Shows a collection's candles",
				description:
					"From accepted sales with a known price, newest last. Intervals begin at whole " +
					"multiples since 1970, UTC. One without such a sale is left out, and `open` is the " +
					"first sale of the interval: nothing is carried over, and no outlier is dropped. " +
					"`coverage` says where sales of the page's time may be missing.",
			},
		},
	);
}
