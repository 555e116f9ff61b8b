import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { traitCountSchema } from "#plugins/market-index/schemas/traitCountSchema.ts";
import { hasCountedTraits } from "#plugins/market-index/tokens/sql/hasCountedTraits.ts";
import { readTraitPage } from "#plugins/market-index/tokens/sql/readTraitPage.ts";

const traits = createCursor("traits2", [CURSOR_PART.longText, CURSOR_PART.longText]);
/** Two texts of 512 bytes, as hex, behind base64. */
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

/** A collection's traits, value by value. */
export function getTraits({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/traits",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const { chain, address } = found;
			const cursors = traits.of({ chain, address, type: query.type });
			// Floors of traits are made of the whole book, which is read while somebody looks.
			index.touch(found.id, "detail");
			const read = await readTraitPage(core.db, {
				collectionId: found.id,
				type: query.type ?? null,
				after: query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor)),
				limit: query.limit + 1,
			});
			if (read.length === 0 && !(await hasCountedTraits(core.db, found.id))) {
				return { data: null, page: { nextCursor: null, hasMore: false } };
			}
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
				page: { nextCursor: hasMore && last ? cursors.encode(partsOf(last)) : null, hasMore },
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

function partsOf({ type, value }: { type: string; value: string }): string[] {
	return [type, value].map((text) => Buffer.from(text).toString("hex"));
}

function placeOf(parts: readonly string[]): { type: string; value: string } {
	const [type = "", value = ""] = parts.map((hex) =>
		new TextDecoder().decode(Buffer.from(hex, "hex")),
	);
	// No stored text holds NUL, and the database would not take it.
	const known = (text: string) => text.replaceAll("\u0000", "");
	return { type: known(type), value: known(value) };
}
