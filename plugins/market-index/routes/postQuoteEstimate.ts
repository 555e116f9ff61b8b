import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { QUOTE_LISTINGS_MAX } from "#plugins/market-index/quote/limits.ts";
import { readQuote } from "#plugins/market-index/quote/readQuote.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { quoteSchema } from "#plugins/market-index/schemas/quoteSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { tokenIdParam } from "#plugins/market-index/schemas/tokenIdParam.ts";

// Strict: with a misspelled quantity silently dropped, it would be an estimate for one.
const bodySchema = z
	.strictObject({
		chain: chainParam,
		slug: slugParams.shape.slug,
		tokenId: tokenIdParam.optional(),
		orderHash: z
			.string()
			.regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hex")
			.optional()
			.meta({ description: "Only this listing.", examples: [`0x${"5d".repeat(32)}`] }),
		quantity: z
			.int()
			.min(1)
			.max(QUOTE_LISTINGS_MAX)
			.default(1)
			.meta({ description: "Units to buy." }),
	})
	.meta({ id: "QuoteRequest", description: "What to buy: of a collection, a token or an order." });

/** Serves an estimate of what buying would cost now. It asks no seller and moves nothing. */
export function postQuoteEstimate(context: RouteContext) {
	return new Elysia().post(
		"/quote-estimate",
		async ({ body }) => {
			const { chain, slug, tokenId = null, orderHash, quantity } = body;
			const found = await context.index.find(slug, chain);
			return await readQuote(context, found, {
				tokenId,
				orderHash: orderHash ? `0x${orderHash.slice(2).toLowerCase()}` : null,
				units: BigInt(quantity),
			});
		},
		{
			body: bodySchema,
			response: { 200: quoteSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "estimateQuote",
				tags: ["market"],
				summary: "Estimates what buying costs",
				description:
					"From the cheapest listings of the stored book: of a collection, of one token, or one " +
					"order. `availableUnits` is smaller than `quantity` where the book is too thin. Fees are " +
					"part of the price. What is unknown is null, and so is every sum that it belongs to.",
			},
		},
	);
}
