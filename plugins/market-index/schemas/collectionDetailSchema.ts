import { z } from "zod";
import { collectionSchema } from "#plugins/market-index/schemas/collectionSchema.ts";

/** One collection with its mint, its last sale and what the provider says. */
export const collectionDetailSchema = z.object({
	market: collectionSchema,
	mint: z.object({
		active: z.boolean().meta({ description: "Minting, with a mint in the last hour." }),
		priceNative: z.number().nullable().meta({ description: "Of the last mint; 0 = free." }),
		mints1h: z.number(),
		mintedSupply: z.number().meta({
			description:
				"Units minted in all, once the contract was walked; else those that the index saw.",
		}),
	}),
	lastSale: z
		.object({
			tokenId: z.string(),
			occurredAt: z.string(),
			priceNative: z.number().nullable(),
			priceUsd: z.number().nullable(),
			transactionHash: z.string().nullable(),
			imageUrl: z.string().nullable(),
		})
		.nullable(),
	stats: z.object({
		data: z.object({
			total: z
				.looseObject({
					floor_price: z.number().nullable().meta({
						description: "In `floor_price_symbol`, over all markets that the provider knows.",
					}),
					floor_price_symbol: z.string().nullable(),
				})
				.meta({ description: "As the provider sends it; what it has not counted is null." }),
			intervals: z.array(z.looseObject({})).optional(),
		}),
	}),
	observedAt: z.string(),
});

export type CollectionDetail = z.output<typeof collectionDetailSchema>;
