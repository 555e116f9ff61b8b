import { Elysia } from "elysia";
import { z } from "zod";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { searchHitSchema } from "#plugins/market-index/schemas/searchHitSchema.ts";
import { createSearcher } from "#plugins/market-index/search/createSearcher.ts";

const answerSchema = z
	.object({
		data: z.array(searchHitSchema).meta({ description: "Hits, the best first." }),
		page: pageSchema,
	})
	.meta({ id: "SearchPage", description: "A page of what a search found." });

/** Serves a search for collections by the words of their names, by slug or by address. */
export function getSearch(context: RouteContext) {
	const search = createSearcher(context);
	return new Elysia().get(
		"/search",
		({ query }) =>
			search({
				text: query.q,
				chains: chainsOf(context.core, query.chain),
				isOneChain: query.chain !== undefined,
				limit: query.limit,
				cursor: query.cursor,
			}),
		{
			query: z.object({
				q: z
					.string()
					.regex(/^(?=.*\S)[^\p{Cc}]{1,128}$/u, "must be 1 to 128 characters")
					.meta({ description: "Words, a slug or a contract address.", examples: ["tidal cats"] }),
				chain: chainParam,
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: { 200: answerSchema },
			detail: {
				operationId: "searchCollections",
				tags: ["market"],
				summary: "Searches collections",
				description:
					"Collections whose name or slug has words that begin with all words of `q`; the one " +
					"whose slug it is first, then by volume of all time. Where there are none, what the " +
					"provider finds; nothing where it is away or has been searched too often. A page of words " +
					"that very many begin with may be short and have a next one all the same.",
			},
		},
	);
}
