import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { field } from "#core/http/openapi/field.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { readHolders } from "#plugins/market-index/owners/readHolders.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const holders = createCursor("holders2", [CURSOR_PART.count, CURSOR_PART.address]);

const holderSchema = z
	.object({
		address: field.address("Who holds them."),
		units: field.digits("Units held, of all token ids together.", "42"),
	})
	.meta({ id: "Holder", description: "One holder of a collection." });

const answerSchema = z
	.object({
		data: z.array(holderSchema).nullable().meta({
			description: "Holders, the largest first; null until the walk is done: not known.",
		}),
		page: pageSchema,
	})
	.meta({ id: "HolderPage", description: "A page of a collection's holders." });

/** Who holds a collection, the largest first. */
export function getHolders({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/holders",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const cursors = holders.of({ chain: found.chain, address: found.address });
			const [units, owner] = query.cursor === undefined ? [] : cursors.decode(query.cursor);
			const after =
				units === undefined || owner === undefined
					? null
					: { units: BigInt(units), owner: `0x${owner.slice(2)}` as const };
			const read = await readHolders(core.db, {
				collectionId: found.id,
				limit: query.limit + 1,
				after,
			});
			if (!read) return { data: null, page: { nextCursor: null, hasMore: false } };
			const shown = read.slice(0, query.limit);
			const last = shown.at(-1);
			const hasMore = read.length > query.limit;
			const nextCursor = hasMore && last ? cursors.encode([String(last.units), last.owner]) : null;
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
				cursor: cursorParam(),
			}),
			response: {
				200: answerSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionHolders",
				tags: ["market"],
				summary: "Lists holders",
				description:
					"The largest first, from the service's own walk over the contract's transfers. `data` is " +
					"null until that walk is done.",
			},
		},
	);
}
