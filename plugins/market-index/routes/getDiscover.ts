import { Elysia } from "elysia";
import { z } from "zod";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readDiscover } from "#plugins/market-index/read/readDiscover.ts";
import { answerShared } from "#plugins/market-index/routes/answerShared.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { discoverMintSchema } from "#plugins/market-index/schemas/discoverMintSchema.ts";
import { discoverRowSchema } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";

const rows = (description: string) => z.array(discoverRowSchema).meta({ description });

const answerSchema = z
	.object({
		trending: rows("Collections by sales in 24 hours."),
		mints: z.array(discoverMintSchema).meta({ description: "Accepted mints, newest first." }),
		market: rows("Collections that ever sold, by volume in 24 hours."),
		minting: rows("Collections with mints in the last hour, most mints first."),
	})
	.meta({ id: "Discover", description: "What moves across all collections." });

/** Serves what moves across all collections. */
export function getDiscover({ core, scanner, prices }: RouteContext) {
	return new Elysia().get(
		"/discover",
		({ query, request }) => {
			const chains = chainsOf(core, query.chain);
			const context = { core, scanner, prices };
			return answerShared(request, () => readDiscover(context, chains, query.limit));
		},
		{
			query: z.object({ chain: chainParam, limit: limitParam(PAGE_DEFAULT, PAGE_MAX) }),
			response: {
				200: answerSchema,
			},
			detail: {
				operationId: "getDiscover",
				tags: ["market"],
				summary: "Shows what moves across all collections",
				description:
					"`trending` by sales in 24 hours; `mints` the newest accepted mints; `market` by " +
					"volume in 24 hours, collections that ever sold; `minting` those with mints in the " +
					"last hour, most mints first. At most `limit` rows each; all chains unless `chain`.",
			},
		},
	);
}
