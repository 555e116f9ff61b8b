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
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import {
	readCandlePage,
	readEventPage,
	readSales,
	SALES_RANGES,
	type SalesRange,
} from "#plugins/market-index/read/eventPages.ts";
import { CANDLE_INTERVALS, type CandleInterval } from "#plugins/market-index/rollup/windows.ts";
import {
	type ActivityType,
	activityTypeParam,
	answerOrderEvents,
	EVENT_KINDS,
	type EventKind,
	isOrderType,
	ORDER_EVENT_WORDS,
} from "#plugins/market-index/routes/activityTypes.ts";
import {
	type AskedFilters,
	type AskedTimes,
	contradiction,
	eventFilterOf,
	eventsQuery,
	filterScope,
	SCAN_WORDS,
	salesQuery,
	timesOf,
	tokenEventsQuery,
} from "#plugins/market-index/routes/eventFilters.ts";
import {
	answerShared,
	assetParams,
	chainParam,
	PAGE_LIMIT,
	slugParams,
} from "#plugins/market-index/routes/params.ts";
import { orderEventsSchema } from "#plugins/market-index/schemas/book.ts";
import {
	marketEventSchema,
	salesDrawnSchema,
	scannedToSchema,
} from "#plugins/market-index/schemas/event.ts";
import {
	candleSchema,
	pageCoverageSchema,
	tileSchema,
} from "#plugins/market-index/schemas/figures.ts";
import { salePointSchema } from "#plugins/market-index/schemas/lists.ts";
import { isFiltering } from "#plugins/market-index/sql/filterEvents.ts";
import { readEventSpans } from "#plugins/market-index/sql/readEvents.ts";

/** Candles of one page: default and most. */
const CANDLES_MAX = 500;

const activityCursors = createEventCursor("activity2");

const activityPageSchema = z
	.object({
		data: z.array(marketEventSchema).meta({ description: "Events, newest first." }),
		coverage: pageCoverageSchema("`sale`, `mint`, `transfer`"),
		orders: orderEventsSchema,
		page: pageSchema,
		scannedTo: scannedToSchema,
	})
	.meta({ id: "ActivityPage", description: "A page of a collection's events." });

const typeParam = activityTypeParam;

/** Sales that a chart draws: default and most. */
const POINTS_MAX = 5_000;
const POINTS_MIN = 10;

const pointsMaxParam = z
	.string()
	.regex(/^[1-9]\d{0,3}$/, `must be a whole number from ${POINTS_MIN} to ${POINTS_MAX}`)
	.transform(Number)
	.pipe(z.int().min(POINTS_MIN).max(POINTS_MAX))
	.optional()
	.meta({
		description: `Points of \`view=points\` at most; ${POINTS_MAX} unless given.`,
		examples: ["2000"],
	});

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
		scannedTo: scannedToSchema,
		drawn: salesDrawnSchema.nullable().meta({
			description: "What `view=points` left out; null in a list.",
		}),
	})
	.meta({ id: "SalesPage", description: "A page of a collection's sales, with its figures." });

/** Serves a collection's events, newest first, also those that are not accepted. */
export function getActivity(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/activity",
		({ params, query, request }) => {
			return answerActivity(context, request, {
				find: () => context.index.find(params.slug, query.chain),
				query,
			});
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: typeParam,
				...eventsQuery,
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
					`provider alone. ${ORDER_EVENT_WORDS} ${SCAN_WORDS}`,
			},
		},
	);
}

/** Serves one token's events, newest first. */
export function getTokenActivity(context: RouteContext) {
	return new Elysia().get(
		"/assets/:chain/:contract/:tokenId/activity",
		({ params, query, request }) => {
			return answerActivity(context, request, {
				find: () => context.index.find(params.contract, params.chain),
				query: { ...query, tokenId: params.tokenId },
			});
		},
		{
			params: assetParams,
			query: z.object({ type: typeParam, ...tokenEventsQuery, ...pageQuery(PAGE_LIMIT) }),
			response: { 200: activityPageSchema },
			detail: {
				...canFail(marketFault.notFound),
				operationId: "listAssetActivity",
				tags: ["market"],
				summary: "Lists one token's sales, mints and transfers",
				description:
					"The activity of its collection with `tokenId`, newest first. An empty list of a token says " +
					"only that nothing was looked at that names it: see `coverage`. " +
					`${ORDER_EVENT_WORDS} ${SCAN_WORDS}`,
			},
		},
	);
}

type ActivityAsked = AskedFilters &
	AskedTimes & {
		type?: ActivityType | undefined;
		cursor?: string | undefined;
		limit: number;
	};

/** Answers a page of a collection's events; equal requests share it until the database changes. */
async function answerActivity(
	{ core, prices, scanner }: RouteContext,
	request: Request,
	asked: { find: () => Promise<FoundCollection>; query: ActivityAsked },
): Promise<Response> {
	const { query } = asked;
	const answer = async () => {
		const { id: collectionId, chain: slug, address } = await asked.find();
		const chain = resolveChain(core, slug);
		const nowMs = core.clock.nowMs();
		if (isOrderType(query.type)) {
			const body = await answerOrderEvents(
				{ core, prices },
				{ ...query, type: query.type },
				{
					of: { collectionId },
					chains: [chain],
					scope: { chain: slug, address },
				},
			);
			return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
		}
		const kinds = kindsOf({ ...query, type: query.type });
		const filter = eventFilterOf(query, kinds);
		const times = timesOf(query, nowMs);
		// Both are read before the rows, so that they never claim more than those contain.
		const [spans, provider] = await Promise.all([
			readChainSpans(scanner, chain.id),
			readEventSpans(core.db, collectionId),
		]);
		const scope = { chain: slug, address, type: query.type, ...filterScope(filter, query) };
		const read = await readEventPage({ db: core.db, prices }, chain, {
			...{ collectionId, kinds, acceptedOnly: false, filter, ...times, nowMs },
			cursors: activityCursors.of(scope),
			cursor: query.cursor,
			limit: query.limit,
		});
		const coverage = pageCoverage(
			read.range,
			Object.fromEntries(kinds.map((kind) => [kind, heldBy(provider, spans, `${kind}s`)])),
		);
		const { events: data, page, scannedTo } = read;
		const body = JSON.stringify({ data, coverage, orders: null, page, scannedTo });
		return { body, headers: { "content-type": "application/json" } };
	};
	const { body, headers } = await answer();
	const requested = requestContexts.get(request);
	if (requested) {
		const version = () => readSnapshot(core.db);
		requested.repeat = shareWhileSame({ version, make: answer, clock: core.clock });
	}
	return new Response(body, { headers });
}

type KindsAsked = Pick<ActivityAsked, "venue" | "minPriceNative"> & {
	type?: EventKind | undefined;
};

/** Returns the kinds of events that can match: what is filtered by price has one. */
function kindsOf({ type, venue, minPriceNative }: KindsAsked): EventKind[] {
	if (type !== undefined) return [type];
	if (venue !== undefined) return ["sale"];
	return minPriceNative === undefined ? [...EVENT_KINDS] : ["sale", "mint"];
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
		({ params, query, request }) => {
			const asked = salesAsked(query, context.core.clock.nowMs());
			const read = async () =>
				readSales(context, await context.index.find(params.slug, query.chain), asked);
			return asked.pointsMax === undefined ? read() : answerShared(request, read);
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				range: z.enum(SALES_RANGES).optional().meta({
					description:
						"Sales of this long until now; `all` unless given. Not with `after`, `before`.",
				}),
				view: z
					.enum(["list", "points"])
					.default("list")
					.meta({
						description:
							"`list`: page by page. `points`: one answer for a chart, at most `max` sales of the time; " +
							"without filters, cursor and limit.",
					}),
				max: pointsMaxParam,
				...salesQuery,
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
					"`coverage` says where sales of the page's time may be missing. `view=points` cuts the " +
					"time into equal cells and shows of each the first, the last and the dearest sale; " +
					`\`drawn\` says how many it left out. ${SCAN_WORDS}`,
			},
		},
	);
}

type SalesAsked = AskedFilters &
	AskedTimes & {
		range?: SalesRange | undefined;
		view: "list" | "points";
		max?: number | undefined;
		cursor?: string | undefined;
		limit: number;
	};

/** Returns what is read for a request of sales; refuses what contradicts itself. */
function salesAsked(query: SalesAsked, nowMs: number) {
	const { range, view, max, cursor, limit } = query;
	const isPoints = view === "points";
	const filter = eventFilterOf(query, ["sale"]);
	const times = timesOf(query, nowMs);
	if (range !== undefined && (times.since || times.until)) {
		throw contradiction("range", "is a time until now: leave it out beside `after` and `before`");
	}
	if (max !== undefined && !isPoints) throw contradiction("max", "belongs to `view=points`");
	if (isPoints && cursor !== undefined) throw contradiction("cursor", "`view=points` has no pages");
	if (isPoints && isFiltering(filter)) {
		throw contradiction("view", "`points` shows all sales of a time: leave the filters out");
	}
	const filtered = { filter, ...times, scope: filterScope(filter, query) };
	const pointsMax = isPoints ? (max ?? POINTS_MAX) : undefined;
	return { range: range ?? ("all" as const), cursor, limit, filtered, pointsMax };
}
