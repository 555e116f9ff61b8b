import { Elysia } from "elysia";
import { z } from "zod";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import { readDiscover } from "#plugins/market-index/read/readDiscover.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { discoverMintSchema } from "#plugins/market-index/schemas/discoverMintSchema.ts";
import { discoverRowSchema } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";

/** What moves across all collections. */
export function getDiscover({ core, prices }: RouteContext) {
	return new Elysia().get(
		"/discover",
		({ query }) => readDiscover({ core, prices }, chainsOf(core, query.chain), query.limit),
		{
			query: z.object({ chain: chainParam, limit: limitParam(PAGE_DEFAULT, PAGE_MAX) }),
			response: {
				200: z.object({
					trending: z.array(discoverRowSchema),
					mints: z.array(discoverMintSchema),
					market: z.array(discoverRowSchema),
					minting: z.array(discoverRowSchema),
				}),
			},
			detail: {
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
