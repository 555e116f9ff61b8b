import { z } from "zod";

/** How many tokens have one value of one trait, and what the cheapest of them costs. */
export const traitCountSchema = z.object({
	type: z.string().meta({ examples: ["Background"] }),
	value: z.string().meta({ examples: ["Dusk"] }),
	count: z.number().meta({ description: "Tokens that have it." }),
	floorNative: z.number().nullable().meta({
		description: "The best ask for one of them, an ETH equivalent; null where none is known.",
	}),
});
