import { Elysia } from "elysia";
import { z } from "zod";
import { LIFECYCLES } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import { readTrending } from "#plugins/market-index/read/readTrending.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { freshnessSchema } from "#plugins/market-index/schemas/freshnessSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { trendingRowSchema } from "#plugins/market-index/schemas/trendingRowSchema.ts";

/** Collections by sales in a window. */
export function getTrending(context: RouteContext) {
	return new Elysia().get(
		"/trending",
		({ query }) =>
			readTrending(context, {
				chains: chainsOf(context.core, query.chain),
				window: query.window,
				lifecycle: query.lifecycle,
				limit: query.limit,
			}),
		{
			query: z.object({
				chain: chainParam,
				window: z
					.enum(["5m", "1h", "6h", "24h", "7d"])
					.default("24h")
					.meta({ description: "Sales of this long until now are counted." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				lifecycle: z
					.enum([...LIFECYCLES, "ended"])
					.optional()
					.meta({
						description:
							"Only rows that show this lifecycle; `ended`: all that sold out, whatever they show.",
					}),
			}),
			response: { 200: z.object({ rows: z.array(trendingRowSchema), freshness: freshnessSchema }) },
			detail: {
				tags: ["market"],
				summary: "Lists collections by sales in a window",
				description:
					"Accepted sales, then volume, then the last sale and mint. The window begins at a " +
					"whole minute. Without `chain` all chains; `freshness` is then that of the one that " +
					"lags most.",
			},
		},
	);
}
