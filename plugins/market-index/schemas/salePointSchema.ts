import { z } from "zod";

/** One accepted sale as a dot of the chart. */
export const salePointSchema = z.object({
	tokenId: z.string().meta({ examples: ["6529"] }),
	imageUrl: z.string().nullable(),
	rank: z.number().nullable(),
	priceNative: z.number().nullable().meta({ description: "Per unit, an ETH equivalent." }),
	priceUsd: z.number().nullable(),
	traits: z.array(z.unknown()).nullable(),
	occurredAt: z.string(),
	transactionHash: z.string().nullable(),
	venue: z.string().nullable(),
	buyer: z.string(),
	seller: z.string(),
});

export type SalePoint = z.output<typeof salePointSchema>;
