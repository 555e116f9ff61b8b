import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** One accepted sale as a dot of the chart. */
export const salePointSchema = z
	.object({
		tokenId: field.digits("The token's id.", "6529"),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
		rank: field.integer("OpenRarity rank, 1 the rarest; null before the reveal.", 12).nullable(),
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.25)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, at the rate of its time.", 3_125.5)
			.nullable(),
		traits: z
			.array(z.unknown())
			.nullable()
			.meta({
				description: "The token's traits; null while unknown.",
				examples: [[{ trait_type: "Background", value: "Dusk" }]],
			}),
		occurredAt: field.time("When it was sold."),
		transactionHash: field
			.hashText("Its transaction; null where the provider gave none.")
			.nullable(),
		venue: field.text("Where it was sold.", "seaport").nullable(),
		buyer: field.addressText("Who bought it."),
		seller: field.addressText("Who sold it."),
	})
	.meta({ id: "SalePoint", description: "One accepted sale, as a point of a chart." });

export type SalePoint = z.output<typeof salePointSchema>;
