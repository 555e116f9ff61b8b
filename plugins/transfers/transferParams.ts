import { z } from "zod";

/** The id of a transfer in a path. */
export const transferParams = z.object({
	id: z.string().meta({
		description: "A transfer of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});
