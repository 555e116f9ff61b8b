import { z } from "zod";
import type { Candle } from "#plugins/market-index/render/Candle.ts";

export const candleSchema = z
	.object({
		openTime: z.string(),
		open: z.number(),
		high: z.number(),
		low: z.number(),
		close: z.number(),
		volumeNative: z.number(),
		sales: z.number(),
	})
	.meta({
		description: "Accepted sales of one interval, in ETH equivalents for one unit.",
		examples: [
			{
				openTime: "2026-03-01T12:00:00.000Z",
				open: 1.2,
				high: 1.4,
				low: 1.1,
				close: 1.3,
				volumeNative: 5,
				sales: 4,
			},
		],
	}) satisfies z.ZodType<Candle>;
