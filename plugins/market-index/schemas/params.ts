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

const UINT256_MAX = 2n ** 256n - 1n;

/** A token id: a `uint256` as a decimal number without leading zeros. */
export const tokenIdParam = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/, { error: "must be a whole number in decimal digits", abort: true })
	.refine((id) => id.length <= 78 && BigInt(id) <= UINT256_MAX, "must fit 256 bits")
	.meta({ description: "A token's id.", examples: ["6529"] });
