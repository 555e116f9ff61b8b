import { Elysia } from "elysia";
import { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { shareBriefly } from "#core/http/shareBriefly.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import { collectionsPage } from "#plugins/market-index/read/collectionsPage.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { collectionSchema } from "#plugins/market-index/schemas/collectionSchema.ts";
import { freshnessSchema } from "#plugins/market-index/schemas/freshnessSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { rawCollectionSchema } from "#plugins/market-index/schemas/rawCollectionSchema.ts";

const querySchema = z.object({
	chain: chainParam,
	mode: z
		.enum(["trending", "top", "new"])
		.default("trending")
		.meta({ description: "Most sales in 24 hours, most volume of all time, or newest first." }),
	limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
	scope: z
		.enum(["chain", "all"])
		.default("chain")
		.meta({ description: "Only `chain`, or all chains." }),
});

const rawListSchema = z
	.object({
		collections: z
			.array(rawCollectionSchema)
			.meta({ description: "The rows of `normalized`, in the same order." }),
	})
	.meta({ id: "RawCollectionList", description: "The list in the provider's own form." });

const answerSchema = z
	.object({
		normalized: z
			.array(collectionSchema)
			.meta({ description: "What the index knows of each collection." }),
		data: rawListSchema,
		freshness: freshnessSchema,
	})
	.meta({ id: "CollectionList", description: "A list of collections, in two forms." });

/**
 * Serves the provider's lists with our own figures, filled up with collections that the index has
 * seen itself.
 */
export function getCollections(context: RouteContext) {
	return new Elysia().get(
		"/collections",
		async ({ query, request }) => {
			const chains = chainsInScope(context.core, query);
			const answer = async () => {
				const { body, outcome } = await collectionsPage(context, { ...query, chains });
				return { body, headers: { "content-type": "application/json", "x-svc-cache": outcome } };
			};
			const { body, headers } = await answer();
			const requested = requestContexts.get(request);
			if (requested) requested.repeat = shareBriefly(answer);
			return new Response(body, { headers });
		},
		{
			query: querySchema,
			response: { 200: answerSchema },
			detail: {
				operationId: "listCollections",
				tags: ["market"],
				summary: "Lists collections",
				description:
					"The provider's list where it was read lately, then our own rows: `trending` by accepted " +
					"sales in 24 hours, then volume, then the last sale and mint; `top` by volume of all " +
					"time; `new` registered last. `normalized` has what the index knows, with its own " +
					"figures; `data.collections` the same rows in the provider's form. Without `chain` " +
					"the first chain that is indexed; `scope=all` lists every chain. Windows of 24 hours " +
					"begin at a whole minute. Pages are cached: header `x-svc-cache` says hit (15 s), " +
					"stale (90 s) or miss.",
			},
		},
	);
}

function chainsInScope(core: RouteContext["core"], query: z.output<typeof querySchema>) {
	const named = chainsOf(core, query.chain);
	if (query.scope === "all") return chainsOf(core, undefined);
	const [first] = named;
	assert(first, "the service indexes at least one chain");
	return [first];
}
