import { z } from "zod";
import { lifecycleSchema } from "#plugins/market-index/schemas/lifecycleSchema.ts";

/** A collection in `trending`, `market` and `minting` of discover, and in its frames. */
export const discoverRowSchema = z.object({
	slug: z.string().meta({ examples: ["tidal-cats"] }),
	chain: z.string().meta({ examples: ["ethereum"] }),
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	floorNative: z.number().nullable().meta({ description: "An ETH equivalent; null = unknown." }),
	volume24hNative: z
		.number()
		.nullable()
		.meta({ description: "Null where there were sales and none has a known price." }),
	sales24h: z.number(),
	floorChange24hPercent: z.number().nullable(),
	mints1h: z.number().meta({ description: "Mint events in the last hour." }),
	lastMintAt: z
		.string()
		.nullable()
		.meta({ examples: ["2026-03-01T12:00:00.000Z"] }),
	revealState: z.string().meta({ examples: ["unknown", "placeholder", "revealed"] }),
	lifecycle: lifecycleSchema,
});

export type DiscoverRow = z.output<typeof discoverRowSchema>;
