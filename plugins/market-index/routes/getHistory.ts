// Serves how a collection's floor, listings and holders went in time.

import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/routeMarks.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import {
	HISTORY_METRICS,
	HISTORY_RANGES,
	readHistory,
} from "#plugins/market-index/history/readHistory.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import { chainParam, slugParams } from "#plugins/market-index/routes/params.ts";
import { historySchema } from "#plugins/market-index/schemas/history.ts";

const timeParam = (description: string, example: string) =>
	z.iso
		.datetime({ offset: true, error: "must be a time like 2026-03-01T12:00:00.000Z" })
		.optional()
		.meta({ description, examples: [example] });

const querySchema = z.object({
	chain: chainParam,
	metric: z
		.enum(HISTORY_METRICS)
		.optional()
		.meta({ description: "Only this figure; all three unless given." }),
	range: z
		.enum(HISTORY_RANGES)
		.optional()
		.meta({ description: "This long until now; `7d` unless `from` is given." }),
	from: timeParam("The beginning, in place of `range`.", "2026-03-01T12:00:00.000Z"),
	to: timeParam("The end, with `from`; now unless given.", "2026-03-02T12:00:00.000Z"),
});

/** Serves the floor, the listed count and the holders of a collection over time. */
export function getHistory({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/history",
		async ({ params, query }) => {
			const { chain, metric, range, from, to } = query;
			const found = await index.find(params.slug, chain);
			const metrics = metric === undefined ? HISTORY_METRICS : [metric];
			const nowMs = core.clock.nowMs();
			return readHistory(core.db, found.id, { query: { metrics, range, from, to }, nowMs });
		},
		{
			params: slugParams,
			query: querySchema,
			response: { 200: historySchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "getCollectionHistory",
				tags: ["market"],
				summary: "Shows a collection's floor, listings and holders over time",
				description:
					"At most 500 points of each figure, oldest first. All points of a day are kept (floors: of " +
					"two days), then the last of each hour, after 90 days the last of each day, for ever. " +
					"`keptFrom` says since when: figures of before the index kept them are not known. " +
					"`range` and `from` exclude each other; a time to come is 422 `validation_error`.",
			},
		},
	);
}
