import { z } from "zod";

/**
 * The id of an intent in a path. A text that is no id is accepted here, and answered like a missing
 * one.
 */
export const intentParams = z.object({
	id: z.string().meta({
		description: "An intent of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});
