import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { field } from "#core/http/openapi/field.ts";
import { readBookAt } from "#plugins/market-index/book/readBookAt.ts";
import { type DepthLevel, readDepth } from "#plugins/market-index/book/readDepth.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { bookReadAtSchema } from "#plugins/market-index/schemas/bookReadAtSchema.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";

const levelSchema = z
	.object({
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		orders: field.integer("Orders at this price.", 2),
		units: field.digits("Units at this price.", "3"),
	})
	.meta({ id: "DepthLevel", description: "All orders of one side that ask the same price." });

const UNREAD = "null where the book was not read and nothing of it was pushed: not known.";
const levels = (description: string) => z.array(levelSchema).nullable().meta({ description });

const answerSchema = z
	.object({
		asks: levels(`Listings, the cheapest first; 50 levels at most; ${UNREAD}`),
		bids: levels(`Offers on the collection, the highest first; 50 levels at most; ${UNREAD}`),
		bookReadAt: bookReadAtSchema,
		observedAt: field.time("When this was read."),
	})
	.meta({ id: "Depth", description: "How deep an order book is on both sides." });

/** How deep a collection's order book is on both sides. */
export function getDepth({ core, index }: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/depth",
		async ({ params, query }) => {
			const found = await index.find(params.slug, query.chain);
			const nowMs = core.clock.nowMs();
			index.touch(found.id, "detail");
			const [{ asks, bids }, bookReadAt] = await Promise.all([
				readDepth(core.db, { collectionId: found.id, nowMs }),
				readBookAt(core.db, found.id),
			]);
			// What was pushed is something; of what was not read nothing else is known.
			const side = (levels: readonly DepthLevel[]) =>
				bookReadAt === null && levels.length === 0 ? null : levels.map(renderLevel);
			return {
				asks: side(asks),
				bids: side(bids),
				bookReadAt,
				observedAt: new Date(nowMs).toISOString(),
			};
		},
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: {
				200: answerSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "getCollectionDepth",
				tags: ["market"],
				summary: "Order book depth",
				description:
					"Price levels, the best first, 50 of each side at most, and one more for orders whose " +
					"price in ETH is not known. Asks are listings, bids are offers on the whole collection.",
			},
		},
	);
}

function renderLevel({ unitNative, orders, units }: DepthLevel) {
	return { priceNative: displayNative(unitNative), orders, units };
}
