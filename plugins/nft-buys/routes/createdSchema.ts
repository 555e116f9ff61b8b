import { z } from "zod";
import { intentSchema } from "#plugins/nft-buys/routes/intentSchema.ts";

/**
 * The answer to a new intent: with the link by which its owner confirms or signs, where they must.
 */
export const createdSchema = intentSchema.extend({
	link: z.object({ url: z.string(), expiresAt: z.string() }).nullable(),
});
