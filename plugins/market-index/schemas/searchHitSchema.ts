import { z } from "zod";

const hex = z.templateLiteral(["0x", z.string()]);

/** A collection that a search found. */
export const searchHitSchema = z.object({
	slug: z.string(),
	chain: z
		.string()
		.nullable()
		.meta({ description: "Null where only the provider knows it, and did not say where it is." }),
	contractAddress: hex.nullable(),
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	floorNative: z.number().nullable(),
	volume24hNative: z.number().nullable(),
	sales24h: z.number().nullable(),
	ownersCount: z.number().nullable(),
	source: z.enum(["svc_index", "provider"]),
});

export type SearchHit = z.output<typeof searchHitSchema>;
