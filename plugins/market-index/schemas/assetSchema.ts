import { z } from "zod";

/** One token: what it says of itself, its rank among the others, and whose it is. */
export const assetSchema = z.object({
	chain: z.string(),
	contractAddress: z.templateLiteral(["0x", z.string()]),
	tokenId: z.string(),
	standard: z.string().meta({ description: "`erc721` or `erc1155`." }),
	name: z.string().nullable(),
	description: z.string().nullable(),
	imageUrl: z.string().nullable(),
	animationUrl: z.string().nullable(),
	traits: z
		.array(
			z.object({
				trait_type: z.string(),
				value: z.string(),
				display_type: z.string().optional(),
			}),
		)
		.nullable()
		.meta({ description: "Null while nobody told them." }),
	rank: z.number().nullable().meta({
		description: "OpenRarity, 1 the rarest, ties share one. Null before the reveal.",
	}),
	tokenUri: z.string().nullable().meta({ description: "A `data:` URI without its content." }),
	tokenUriHash: z.string().nullable().meta({
		description: "SHA-256 of the URI, so that a swapped base URI shows.",
	}),
	source: z.enum(["chain", "provider"]).nullable().meta({
		description: "Whether the token's own URI told this, or the provider.",
	}),
	fetchedAt: z.string().nullable(),
	owner: z.string().nullable().meta({ description: "Null where owners are not kept." }),
	collection: z.object({
		slug: z.string(),
		name: z.string().nullable(),
		imageUrl: z.string().nullable(),
		revealState: z.string(),
	}),
});

export type Asset = z.output<typeof assetSchema>;
