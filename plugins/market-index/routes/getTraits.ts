import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { answerTraits } from "#plugins/market-index/routes/answerTraits.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { traitCountSchema } from "#plugins/market-index/schemas/traitCountSchema.ts";

/** Two texts of 512 bytes, as hex, in base64. */
const CURSOR_LENGTH_MAX = 4_096;

const answerSchema = z
	.object({
		data: z.array(traitCountSchema).nullable().meta({
			description: "By trait, then by value; null until traits were counted once: not known.",
		}),
		page: pageSchema,
	})
	.meta({ id: "TraitPage", description: "A page of a collection's traits." });

const TEXT_MAX = 128;

/** Serves a collection's traits, value by value. */
export function getTraits(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/traits",
		async ({ params, query }) =>
			answerTraits(context, await context.index.find(params.slug, query.chain), query),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: z
					.string()
					.max(TEXT_MAX)
					.regex(/^[^\p{Cc}]*$/u, "must be a trait's name")
					.optional()
					.meta({
						description: "Only values of this trait, by its name as it is shown.",
						examples: ["Background"],
					}),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(CURSOR_LENGTH_MAX),
			}),
			response: { 200: answerSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionTraits",
				tags: ["market"],
				summary: "Lists traits with their counts and floors",
				description:
					"By trait, then by value. Counts are those of the tokens read here, else the " +
					"provider's; they may be up to 15 minutes old. Floors are found again with the counts, and " +
					"half a minute after a whole book was read.",
			},
		},
	);
}
