import { z } from "zod";

/** Whether a list goes on, and what to send as `cursor` for more. */
export const pageSchema = z.object({
	nextCursor: z.string().nullable().meta({ description: "Send it back as `cursor`." }),
	hasMore: z.boolean(),
});
