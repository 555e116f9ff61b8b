import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { field } from "#core/http/openapi/field.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const answerSchema = z
	.object({
		slug: field.text("The collection's slug.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		syncStatus: field
			.text("How its sync stands now; null: it has none yet.", "queued")
			.meta({ examples: ["queued", "syncing"] })
			.nullable(),
	})
	.meta({ id: "Resync", description: "A repair that was put in line." });

/** Queues a repair of one collection. Open to all callers: it only repeats what is done anyway. */
export function postResync({ index, resync }: RouteContext) {
	return new Elysia().post(
		"/collections/:slug/resync",
		async ({ params, query, set }) => {
			const found = await index.find(params.slug, query.chain);
			const syncStatus = await resync(found.id);
			set.status = 202;
			return { slug: found.slug, chain: found.chain, syncStatus };
		},
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: {
				202: answerSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "resyncCollection",
				tags: ["market"],
				summary: "Repairs a collection",
				description:
					"Queues a full sync with the provider, and a new reading of the contract, before all " +
					"that is not watched. Without a body. A repair asked for within five seconds of the " +
					"last one is the same one.",
			},
		},
	);
}
