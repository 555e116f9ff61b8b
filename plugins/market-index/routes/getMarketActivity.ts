// Serves what happened across all collections.

import { Elysia } from "elysia";
import { z } from "zod";
import { cursorParam, limitParam, pageSchema } from "#core/http/pages.ts";
import { chainsOf, type RouteContext } from "#plugins/market-index/read/context.ts";
import { readMarketActivity } from "#plugins/market-index/read/readMarketActivity.ts";
import {
	activityTypeParam,
	answerOrderEvents,
	EVENT_KINDS,
	isOrderType,
	ORDER_EVENT_WORDS,
} from "#plugins/market-index/routes/activityTypes.ts";
import { timesOf, timesQuery } from "#plugins/market-index/routes/eventFilters.ts";
import { answerShared, chainParam, PAGE_LIMIT } from "#plugins/market-index/routes/params.ts";
import { orderEventsSchema } from "#plugins/market-index/schemas/book.ts";
import { scannedToSchema } from "#plugins/market-index/schemas/event.ts";
import { pageCoverageSchema } from "#plugins/market-index/schemas/figures.ts";
import { marketActivityRowSchema } from "#plugins/market-index/schemas/lists.ts";

/** A cursor holds a place in each chain. */
const CURSOR_LENGTH_MAX = 4_096;

const marketActivitySchema = z
	.object({
		data: z.array(marketActivityRowSchema).meta({ description: "Events, newest first." }),
		coverage: pageCoverageSchema("`sale`, `mint` and `transfer` of each chain (`ethereum/sale`)"),
		orders: orderEventsSchema,
		page: pageSchema,
		scannedTo: scannedToSchema,
	})
	.meta({ id: "MarketActivity", description: "A page of the events of all collections." });

/** Serves the events of all collections of one chain or all, newest first. */
export function getMarketActivity(context: RouteContext) {
	return new Elysia().get(
		"/activity",
		({ query, request }) => {
			const { chain, type, after, before, cursor, limit } = query;
			const chains = chainsOf(context.core, chain);
			const times = timesOf(query, context.core.clock.nowMs());
			if (isOrderType(type)) {
				const of = { chainIds: chains.map(({ id }) => id) };
				const scope = { chains: of.chainIds.join() };
				return answerShared(request, () =>
					answerOrderEvents(context, { ...query, type }, { of, chains, scope }),
				);
			}
			const kinds = type === undefined ? EVENT_KINDS : [type];
			const asked = { chains, kinds, ...times, scope: { type, after, before }, cursor, limit };
			return answerShared(request, async () => {
				return { ...(await readMarketActivity(context, asked)), orders: null };
			});
		},
		{
			query: z.object({
				chain: chainParam,
				type: activityTypeParam,
				...timesQuery,
				limit: limitParam(PAGE_LIMIT.default, PAGE_LIMIT.max),
				cursor: cursorParam(CURSOR_LENGTH_MAX),
			}),
			response: { 200: marketActivitySchema },
			detail: {
				operationId: "listMarketActivity",
				tags: ["market"],
				summary: "Lists sales, mints and transfers across all collections",
				description:
					"Newest first; all chains unless `chain`. Events of a chain are in the order of its blocks; " +
					"one that only the provider told stands where its time suggests. Rows with " +
					"`accepted: false` count in no figure. `coverage` is of the chain's lanes: transfers are " +
					"told by the provider alone, of collections that it was asked for. A page looks at 20,000 " +
					"events of one chain at most, at 5,000 of each of several: one that found too few by then " +
					"is short, says so in `scannedTo`, and its cursor goes on. " +
					ORDER_EVENT_WORDS,
			},
		},
	);
}
