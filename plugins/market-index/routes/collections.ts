// Serves collections: one, the list, and a request to repair one.

import { Elysia } from "elysia";
import { z } from "zod";
import { assert } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { pageQuery, pageSchema } from "#core/http/pages.ts";
import { shareBriefly } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { readCollectionDetail } from "#plugins/market-index/read/collectionDetail.ts";
import { collectionsPage } from "#plugins/market-index/read/collectionsPage.ts";
import { chainsOf, type RouteContext } from "#plugins/market-index/read/context.ts";
import { PAGES_MOVE } from "#plugins/market-index/read/listPaging.ts";
import { chainParam, PAGE_LIMIT, slugParams } from "#plugins/market-index/routes/params.ts";
import {
	collectionDetailSchema,
	rawCollectionSchema,
} from "#plugins/market-index/schemas/collection.ts";
import { freshnessSchema, listedCollectionSchema } from "#plugins/market-index/schemas/lists.ts";

const listQuerySchema = z.object({
	chain: chainParam,
	mode: z
		.enum(["trending", "top", "new"])
		.default("trending")
		.meta({ description: "Most sales in 24 hours, most volume of all time, or newest first." }),
	...pageQuery(PAGE_LIMIT),
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

const collectionListSchema = z
	.object({
		normalized: z
			.array(listedCollectionSchema)
			.meta({ description: "What the index knows of each collection." }),
		data: rawListSchema,
		page: pageSchema,
		freshness: freshnessSchema,
	})
	.meta({ id: "CollectionList", description: "A list of collections, in two forms." });

const resyncSchema = z
	.object({
		slug: field.text("The collection's slug.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		syncStatus: field
			.text("How its sync stands now; null: it has none yet.", "queued")
			.meta({ examples: ["queued", "syncing"] })
			.nullable(),
	})
	.meta({ id: "Resync", description: "A repair that was put in line." });

/** Serves one collection: market, mint, last sale. */
export function getCollection(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug",
		async ({ params, query }) => {
			const found = await context.index.find(params.slug, query.chain);
			context.index.touch(found.id, "detail");
			return readCollectionDetail(context, found);
		},
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: { 200: collectionDetailSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "getCollection",
				tags: ["market"],
				summary: "Shows one collection",
				description:
					"404 `not_found` for a name nobody has; 422 `chain_required` where several chains " +
					"have one and `chain` names none.",
			},
		},
	);
}

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
			query: listQuerySchema,
			response: { 200: collectionListSchema },
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
					`begin at a whole minute. ${PAGES_MOVE} Pages are cached: header \`x-svc-cache\` says hit ` +
					"(15 s), stale (90 s) or miss.",
			},
		},
	);
}

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
				202: resyncSchema,
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

function chainsInScope(core: RouteContext["core"], query: z.output<typeof listQuerySchema>) {
	const named = chainsOf(core, query.chain);
	if (query.scope === "all") return chainsOf(core, undefined);
	const [first] = named;
	assert(first, "the service indexes at least one chain");
	return [first];
}
