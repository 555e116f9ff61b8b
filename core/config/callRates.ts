import { z } from "zod";
import { jsonText } from "#core/config/jsonText.ts";

const rate = z.number().min(1).max(100_000);

/**
 * Calls a second by chain or host, or one number for all, which becomes that of `*`.
 *
 * @example "100" → { "*": 100 }
 */
export const callRates = jsonText(
	z.union([
		rate.transform((perSecond): Record<string, number> => ({ "*": perSecond })),
		z.record(z.string().toLowerCase(), rate),
	]),
);
