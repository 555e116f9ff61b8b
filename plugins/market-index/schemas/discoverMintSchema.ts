import { z } from "zod";
import { marketEventSchema } from "#plugins/market-index/schemas/marketEventSchema.ts";

/** A mint in discover, joined to its collection. */
export const discoverMintSchema = marketEventSchema.extend({
	collection: z.object({
		slug: z.string(),
		name: z.string().nullable(),
		imageUrl: z.string().nullable(),
	}),
});

export type DiscoverMint = z.output<typeof discoverMintSchema>;
