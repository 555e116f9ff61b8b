import { z } from "zod";

const UINT256_MAX = 2n ** 256n - 1n;

/** A token id: a `uint256` as a decimal number without leading zeros. */
export const tokenIdParam = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/, { error: "must be a whole number in decimal digits", abort: true })
	.refine((id) => id.length <= 78 && BigInt(id) <= UINT256_MAX, "must fit 256 bits")
	.meta({ description: "A token's id.", examples: ["6529"] });
