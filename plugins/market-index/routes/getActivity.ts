import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { readEventPage } from "#plugins/market-index/read/readEventPage.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { cursorParam } from "#plugins/market-index/schemas/cursorParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/marketEventSchema.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const KINDS = ["sale", "mint", "transfer"] as const;

/** A collection's events, newest first, also those that are not accepted. */
export function getActivity(context: RouteContext) {
	const { core, index, prices } = context;
	return new Elysia().get(
		"/collections/:slug/activity",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const { events, page } = await readEventPage(
				{ db: core.db, prices },
				resolveChain(core, found.chain),
				{
					collectionId: found.id,
					kinds: query.type === undefined ? KINDS : [query.type],
					acceptedOnly: false,
					since: null,
					cursor: query.cursor,
					limit: query.limit,
				},
			);
			return { data: events, page };
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: z.enum(KINDS).optional().meta({ description: "Only events of this kind." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam,
			}),
			response: { 200: z.object({ data: z.array(marketEventSchema), page: pageSchema }) },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				tags: ["market"],
				summary: "Lists a collection's sales, mints and transfers",
				description: "Newest first. Rows with `accepted: false` are told and count in no figure.",
			},
		},
	);
}
