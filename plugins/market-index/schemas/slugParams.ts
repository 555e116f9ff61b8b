import { z } from "zod";

/** How a path names a collection. */
export const slugParams = z.object({
	slug: z
		.string()
		.regex(/^[^\p{Cc}]{1,128}$/u, "must be a slug or a contract address")
		.meta({
			description: "A slug, a former slug, or the contract address in any case.",
			examples: ["tidal-cats", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
		}),
});
