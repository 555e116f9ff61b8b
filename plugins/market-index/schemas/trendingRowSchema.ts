import { z } from "zod";
import { lifecycleSchema } from "#plugins/market-index/schemas/lifecycleSchema.ts";

export const trendingRowSchema = z.object({
	slug: z.string().meta({ examples: ["tidal-cats"] }),
	chain: z.string().meta({ examples: ["ethereum"] }),
	contractAddress: z.string(),
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	lifecycle: lifecycleSchema,
	soldOut: z.boolean().meta({ description: "True while presented as `minted_out`." }),
	lastMintAt: z.string().nullable(),
	holders: z.number().nullable(),
	listed: z.number().nullable(),
	volumeNative: z.number().nullable().meta({ description: "In the window, an ETH equivalent." }),
	floorNative: z.number().nullable(),
	sales: z.number().meta({ description: "In the window." }),
});

export type TrendingRow = z.output<typeof trendingRowSchema>;
