import { z } from "zod";

/** How a path names a one-time link. */
export const tokenParams = z.object({
	token: z.string().meta({
		description: "The last part of the link's address.",
		examples: ["x7Zk2pQ9"],
	}),
});
