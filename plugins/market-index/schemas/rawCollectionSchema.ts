import { z } from "zod";

/** A collection in the provider's own form; rows that the service adds carry `source`. */
export const rawCollectionSchema = z.object({
	collection: z.string(),
	name: z.string().nullable(),
	image_url: z.string().nullable(),
	contracts: z.array(z.object({ address: z.string(), chain: z.string() })),
	source: z.literal("svc_index"),
});

export type RawCollection = z.output<typeof rawCollectionSchema>;
