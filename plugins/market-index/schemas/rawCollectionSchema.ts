import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

const contractSchema = z
	.looseObject({
		address: field.text("The contract's address.", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"),
		chain: field.text("The provider's name of the chain.", "ethereum"),
	})
	.meta({
		id: "RawContract",
		description: "A contract of a collection, as the provider names it.",
	});

/**
 * A collection in the provider's own form, as it was sent, with all its other members. Rows that
 * the service adds have these fields and `source`.
 */
export const rawCollectionSchema = z
	.looseObject({
		collection: field.text("The provider's slug.", "tidal-cats"),
		name: field.text("Its name.", "Tidal Cats").nullable().optional(),
		image_url: field.text("Its image.", "https://example.com/cats.png").nullable().optional(),
		contracts: z
			.array(contractSchema)
			.optional()
			.meta({ description: "Where it is; the only place that names a chain." }),
		source: z
			.literal("svc_index")
			.optional()
			.meta({ description: "On rows that the service added from its own index." }),
	})
	.meta({
		id: "RawCollection",
		description: "A collection in the provider's own form, with whatever else it sent.",
	});

export type RawCollection = z.output<typeof rawCollectionSchema>;
