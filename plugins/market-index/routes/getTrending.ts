import { Elysia } from "elysia";
import { z } from "zod";
import { LIFECYCLES } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readTrending } from "#plugins/market-index/read/readTrending.ts";
import { answerShared } from "#plugins/market-index/routes/answerShared.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { freshnessSchema } from "#plugins/market-index/schemas/freshnessSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { trendingRowSchema } from "#plugins/market-index/schemas/trendingRowSchema.ts";

const answerSchema = z
	.object({
		rows: z.array(trendingRowSchema).meta({ description: "Collections, most sales first." }),
		freshness: freshnessSchema,
	})
	.meta({ id: "Trending", description: "Collections by sales in a window." });

/** Serves collections by sales in a window. */
export function getTrending(context: RouteContext) {
	return new Elysia().get(
		"/trending",
		({ query, request }) => {
			const asked = { ...query, chains: chainsOf(context.core, query.chain) };
			return answerShared(request, () => readTrending(context, asked));
		},
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
			response: { 200: answerSchema },
			detail: {
				operationId: "listTrending",
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
