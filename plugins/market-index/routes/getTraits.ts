import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { CURSOR_PART, createCursor } from "#plugins/market-index/cursor/createCursor.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { traitCountSchema } from "#plugins/market-index/schemas/traitCountSchema.ts";
import { readTraitPage } from "#plugins/market-index/tokens/sql/readTraitPage.ts";

const traits = createCursor("traits1", [CURSOR_PART.longText, CURSOR_PART.longText]);
/** Two texts of 512 bytes, as hex, behind base64. */
const longCursor = z
	.string()
	.max(4_096)
	.optional()
	.meta({ description: "`page.nextCursor` of the page before; the first page without." });

const TEXT_MAX = 128;

/** A collection's traits, value by value. */
export function getTraits({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/traits",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			// Floors of traits are made of the whole book, which is read while somebody looks.
			index.touch(found.id, "detail");
			const read = await readTraitPage(core.db, {
				collectionId: found.id,
				type: query.type ?? null,
				after: query.cursor === undefined ? null : placeOf(query.cursor),
				limit: query.limit + 1,
			});
			const shown = read.slice(0, query.limit);
			const last = shown.at(-1);
			const hasMore = read.length > query.limit;
			return {
				data: shown.map(({ type, value, tokens, floorNative }) => ({
					type,
					value,
					count: tokens,
					floorNative: displayNative(floorNative),
				})),
				page: { nextCursor: hasMore && last ? cursorOf(last) : null, hasMore },
			};
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: z
					.string()
					.max(TEXT_MAX)
					.regex(/^[^\p{Cc}]*$/u, "must be a trait's name")
					.optional()
					.meta({ description: "Only values of this trait, by its name as it is shown." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: longCursor,
			}),
			response: { 200: z.object({ data: z.array(traitCountSchema), page: pageSchema }) },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
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

function cursorOf({ type, value }: { type: string; value: string }): string {
	return traits.encode([type, value].map((text) => Buffer.from(text).toString("hex")));
}

function placeOf(cursor: string): { type: string; value: string } {
	const [type = "", value = ""] = traits
		.decode(cursor)
		.map((hex) => new TextDecoder().decode(Buffer.from(hex, "hex")));
	// No stored text holds NUL, and the database would not take it.
	const known = (text: string) => text.replaceAll("\u0000", "");
	return { type: known(type), value: known(value) };
}
