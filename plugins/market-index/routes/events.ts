// Serves a collection's events: activity, candles, and sales with the stat strip.

import { Elysia } from "elysia";
import { z } from "zod";
import { readSnapshot } from "#core/db/migrate.ts";
import { cursorParam, limitParam, pageQuery, pageSchema } from "#core/http/pages.ts";
import { shareWhileSame } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { createEventCursor } from "#plugins/market-index/event/MarketEvent.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { heldBy, pageCoverage, readChainSpans } from "#plugins/market-index/figures/coverage.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import {
	readCandlePage,
	readEventPage,
	readSales,
	SALES_RANGES,
} from "#plugins/market-index/read/eventPages.ts";
import { CANDLE_INTERVALS, type CandleInterval } from "#plugins/market-index/rollup/windows.ts";
import { chainParam, PAGE_LIMIT, slugParams } from "#plugins/market-index/routes/params.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/event.ts";
import {
	candleSchema,
	pageCoverageSchema,
	tileSchema,
} from "#plugins/market-index/schemas/figures.ts";
import { salePointSchema } from "#plugins/market-index/schemas/lists.ts";
import { readEventSpans } from "#plugins/market-index/sql/readEvents.ts";

const EVENT_KINDS = ["sale", "mint", "transfer"] as const;

/** Candles of one page: default and most. */
const CANDLES_MAX = 500;

const activityCursors = createEventCursor("activity2");

const activityPageSchema = z
	.object({
		data: z.array(marketEventSchema).meta({ description: "Events, newest first." }),
		coverage: pageCoverageSchema("`sale`, `mint`, `transfer`"),
		page: pageSchema,
	})
	.meta({ id: "ActivityPage", description: "A page of a collection's events." });

const timeParam = z.iso
	.datetime({ offset: true, error: "must be a time like 2026-03-01T12:00:00.000Z" })
	.optional();

const candlePageSchema = z
	.object({
		candles: z.array(candleSchema).meta({ description: "Candles, newest last." }),
		coverage: pageCoverageSchema("`candles`"),
		page: pageSchema,
	})
	.meta({ id: "CandlePage", description: "A page of candles; the next page is older." });

const salesPageSchema = z
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

/** Serves a collection's events, newest first, also those that are not accepted. */
export function getActivity(context: RouteContext) {
	const { core, index, prices, scanner } = context;
	return new Elysia().get(
		"/collections/:slug/activity",
		async ({ params, query, request }) => {
			const answer = async () => {
				const found = await index.find(params.slug, query.chain);
				const { chain, address } = found;
				const nowMs = core.clock.nowMs();
				// Both are read before the rows, so that they never claim more than those contain.
				const [spans, provider] = await Promise.all([
					readChainSpans(scanner, resolveChain(core, chain).id),
					readEventSpans(core.db, found.id),
				]);
				const kinds = query.type === undefined ? EVENT_KINDS : [query.type];
				const read = await readEventPage({ db: core.db, prices }, resolveChain(core, chain), {
					collectionId: found.id,
					kinds,
					acceptedOnly: false,
					since: null,
					cursors: activityCursors.of({ chain, address, type: query.type }),
					cursor: query.cursor,
					limit: query.limit,
					nowMs,
				});
				const coverage = pageCoverage(
					read.range,
					Object.fromEntries(kinds.map((kind) => [kind, heldBy(provider, spans, `${kind}s`)])),
				);
				const body = JSON.stringify({ data: read.events, coverage, page: read.page });
				return { body, headers: { "content-type": "application/json" } };
			};
			const { body, headers } = await answer();
			const requested = requestContexts.get(request);
			if (requested) {
				const version = () => readSnapshot(core.db);
				requested.repeat = shareWhileSame({ version, make: answer, clock: core.clock });
			}
			return new Response(body, { headers });
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: z.enum(EVENT_KINDS).optional().meta({ description: "Only events of this kind." }),
				...pageQuery(PAGE_LIMIT),
			}),
			response: { 200: activityPageSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionActivity",
				tags: ["market"],
				summary: "Lists a collection's sales, mints and transfers",
				description:
					"Newest first. Rows with `accepted: false` are told and count in no figure. `coverage` " +
					"says of which kinds events of the page's time may be missing; transfers are told by the " +
					"provider alone.",
			},
		},
	);
}

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
					.enum(Object.keys(CANDLE_INTERVALS) as [CandleInterval])
					.default("1h")
					.meta({ description: "How long one candle is." }),
				before: timeParam.meta({
					description: "Only candles that open before this time.",
					examples: ["2026-03-01T12:00:00.000Z"],
				}),
				cursor: cursorParam(),
				limit: limitParam(CANDLES_MAX, CANDLES_MAX),
			}),
			response: { 200: candlePageSchema },
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
				...pageQuery(PAGE_LIMIT),
			}),
			response: {
				200: salesPageSchema,
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
