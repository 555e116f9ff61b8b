import { z } from "zod";

/**
 * A collection in the provider's own form, as it was sent: whatever else it holds is told too. Rows
 * that the service adds have these fields and carry `source`.
 */
export const rawCollectionSchema = z.looseObject({
	collection: z.string().meta({ description: "The provider's slug." }),
	name: z.string().nullable().optional(),
	image_url: z.string().nullable().optional(),
	contracts: z
		.array(z.looseObject({ address: z.string(), chain: z.string() }))
		.optional()
		.meta({ description: "Where it is; the only place that names a chain." }),
	source: z.literal("svc_index").optional(),
});

export type RawCollection = z.output<typeof rawCollectionSchema>;
