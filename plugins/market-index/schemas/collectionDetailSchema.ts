import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { collectionSchema } from "#plugins/market-index/schemas/collectionSchema.ts";
import { figuresSchema } from "#plugins/market-index/schemas/figuresSchema.ts";
import { partialSchema } from "#plugins/market-index/schemas/partialSchema.ts";

const mintSchema = z
	.object({
		active: field.flag("Minting, with a mint in the last hour."),
		priceNative: field
			.number("Price of the last mint in ETH equivalents a unit; 0 = free, null = unknown.", 0.08)
			.nullable(),
		mints1h: field
			.integer("Mint events of the last hour; null where nothing of it was read.", 12)
			.nullable(),
		mintedSupply: field
			.integer(
				"Units minted in all, once the contract was walked; else those that the index saw, and null " +
					"where it saw none and may have come too late.",
				9_871,
			)
			.nullable(),
		coverage: partialSchema,
	})
	.meta({ id: "CollectionMint", description: "What is minted of a collection, and for how much." });

const lastSaleSchema = z
	.object({
		tokenId: field.digits("The token's id.", "6529"),
		occurredAt: field.time("When it was sold."),
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.25)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, at the rate of its time.", 3_125.5)
			.nullable(),
		transactionHash: field
			.hashText("Its transaction; null where the provider gave none.")
			.nullable(),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
	})
	.meta({ id: "LastSale", description: "The newest accepted sale of a collection." });

const totalSchema = z
	.looseObject({
		floor_price: field
			.number(
				"The provider's floor over all markets that it knows, in `floor_price_symbol`; null = unknown.",
				1.19,
			)
			.nullable(),
		floor_price_symbol: field.text("What `floor_price` is quoted in.", "ETH").nullable(),
	})
	.meta({
		id: "ProviderTotals",
		description:
			"As the provider sends it, with whatever else it holds; what it has not counted is null.",
	});

const intervalSchema = z.looseObject({}).meta({
	id: "ProviderInterval",
	description: "Figures of one interval, as the provider sends them.",
});

const statsSchema = z
	.object({
		data: z
			.object({
				total: totalSchema,
				intervals: z
					.array(intervalSchema)
					.optional()
					.meta({ description: "The provider's figures by interval, where it sent them." }),
			})
			.meta({ id: "ProviderStatsData", description: "The body of the provider's answer." }),
	})
	.meta({ id: "ProviderStats", description: "The collection's stats in the provider's own form." });

/** One collection with its mint, its last sale and what the provider says. */
export const collectionDetailSchema = z
	.object({
		market: collectionSchema,
		figures: figuresSchema,
		mint: mintSchema,
		lastSale: lastSaleSchema
			.nullable()
			.meta({ description: "The newest accepted sale; null: none is known." }),
		stats: statsSchema,
		observedAt: field.time("When this was read."),
	})
	.meta({ id: "CollectionDetail", description: "One collection: market, mint and last sale." });

export type CollectionDetail = z.output<typeof collectionDetailSchema>;
