import { z } from "zod";

const hex = z.templateLiteral(["0x", z.string()]);

/** A mint that was announced, is under way or is over, as the provider tells it. */
export const dropSchema = z.object({
	slug: z
		.string()
		.meta({ description: "The collection's slug; the contract until it is indexed." }),
	isIndexed: z.boolean(),
	chain: z.string(),
	contractAddress: hex,
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	type: z.string().meta({ examples: ["seadrop_v1_erc721"] }),
	state: z.enum(["minting", "upcoming", "ended"]).nullable(),
	stages: z.array(
		z.object({
			type: z.string(),
			label: z.string().nullable(),
			priceNative: z.number().nullable().meta({ description: "0 = free, null = unknown." }),
			priceRaw: z.string().nullable(),
			currency: hex.nullable(),
			startsAt: z.string().nullable(),
			endsAt: z.string().nullable(),
			maxPerWallet: z.string().nullable(),
		}),
	),
	maxSupply: z.number().nullable(),
	totalSupply: z.number().nullable(),
	startsAt: z.string().nullable(),
	endsAt: z.string().nullable(),
	seenAt: z.string(),
});

export type Drop = z.output<typeof dropSchema>;
