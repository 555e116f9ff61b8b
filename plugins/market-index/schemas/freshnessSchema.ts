import { z } from "zod";

/** How far the live sale lane is behind the chain. */
export const freshnessSchema = z
	.object({
		chain: z.string(),
		headBlock: z.number().nullable(),
		indexedBlock: z.number().nullable(),
		indexedAt: z.string().nullable(),
		lagBlocks: z.number().nullable(),
		listRefreshedAt: z.string().nullable(),
		servedAt: z.string(),
	})
	.meta({
		description: "How fresh the figures are: the chain's live sale lane, and when this was served.",
		examples: [
			{
				chain: "ethereum",
				headBlock: 21_000_003,
				indexedBlock: 21_000_002,
				indexedAt: "2026-03-01T12:00:00.000Z",
				lagBlocks: 1,
				listRefreshedAt: "2026-03-01T11:59:55.000Z",
				servedAt: "2026-03-01T12:00:01.000Z",
			},
		],
	});

export type Freshness = z.output<typeof freshnessSchema>;
