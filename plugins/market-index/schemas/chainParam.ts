import { z } from "zod";

/** The form of a chain's name; `resolveChain` checks whether it exists. */
export const chainParam = z
	.string()
	.max(64)
	.optional()
	.meta({
		description: "A chain by slug, other common spelling or chain id. It must be indexed here.",
		examples: ["ethereum", "matic", "8453"],
	});
