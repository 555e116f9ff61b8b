import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { CURSOR_PART, createCursor } from "#plugins/market-index/cursor/createCursor.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/limits.ts";
import { readHolders } from "#plugins/market-index/owners/readHolders.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { cursorParam } from "#plugins/market-index/schemas/cursorParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { pageSchema } from "#plugins/market-index/schemas/pageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const holders = createCursor("holders1", [CURSOR_PART.count, CURSOR_PART.address]);

const hex = z.templateLiteral(["0x", z.string()]);

/** Who holds a collection, the largest first. */
export function getHolders({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/holders",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const [units, owner] = query.cursor === undefined ? [] : holders.decode(query.cursor);
			const after =
				units === undefined || owner === undefined
					? null
					: { units: BigInt(units), owner: `0x${owner.slice(2)}` as const };
			const read = await readHolders(core.db, {
				collectionId: found.id,
				limit: query.limit + 1,
				after,
			});
			const shown = read.slice(0, query.limit);
			const last = shown.at(-1);
			const hasMore = read.length > query.limit;
			const nextCursor = hasMore && last ? holders.encode([String(last.units), last.owner]) : null;
			return {
				data: shown.map((one) => ({ address: one.owner, units: one.units.toString() })),
				page: { nextCursor, hasMore },
			};
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam,
			}),
			response: {
				200: z.object({
					data: z.array(
						z.object({ address: hex, units: z.string().meta({ description: "Of all ids." }) }),
					),
					page: pageSchema,
				}),
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				tags: ["market"],
				summary: "Lists holders",
				description:
					"The largest first, from the service's own walk over the contract's transfers. Empty " +
					"until that walk is done.",
			},
		},
	);
}
