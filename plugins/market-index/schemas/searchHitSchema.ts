import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { partialSchema } from "#plugins/market-index/schemas/partialSchema.ts";
import { volumeFields } from "#plugins/market-index/schemas/volumeFields.ts";

/** A collection that a search found. */
export const searchHitSchema = z
	.object({
		slug: field.text("Its name in URLs; the provider's slug where only it knows it.", "tidal-cats"),
		chain: field
			.text("Null where only the provider knows it, and did not say where it is.", "ethereum")
			.nullable(),
		contractAddress: field.address("The collection's contract; null where unknown.").nullable(),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		volume24hNative: field
			.number("Accepted sales of the last 24 hours in ETH equivalents; null = unknown.", 54.3)
			.nullable(),
		...volumeFields,
		sales24h: field
			.integer("Accepted sales of the last 24 hours; null where it is not indexed.", 42)
			.nullable(),
		ownersCount: field.integer("Distinct owners; null = unknown.", 3_120).nullable(),
		coverage: partialSchema,
		source: z
			.enum(["svc_index", "provider"])
			.meta({ description: "Whether the index has it, or only the provider found it." }),
	})
	.meta({ id: "SearchHit", description: "A collection that a search found." });

export type SearchHit = z.output<typeof searchHitSchema>;
