import { Elysia } from "elysia";
import { z } from "zod";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { cursorParam } from "#plugins/market-index/schemas/cursorParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";
import { searchHitSchema } from "#plugins/market-index/schemas/searchHitSchema.ts";
import { readSearch } from "#plugins/market-index/search/readSearch.ts";

/** Finds collections by the words of their names, by slug or by address. */
export function getSearch(context: RouteContext) {
	return new Elysia().get(
		"/search",
		({ query }) =>
			readSearch(context, {
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
				cursor: cursorParam,
			}),
			response: { 200: z.object({ data: z.array(searchHitSchema), page: pageSchema }) },
			detail: {
				tags: ["market"],
				summary: "Searches collections",
				description:
					"Collections whose name or slug has words that begin with all words of `q`; the one " +
					"whose slug it is first, then by volume of all time. The first page also has what only " +
					"the provider finds, and stands without it where the provider is away.",
			},
		},
	);
}
