import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { lifecycleSchema } from "#plugins/market-index/schemas/lifecycleSchema.ts";
import { partialSchema } from "#plugins/market-index/schemas/partialSchema.ts";
import { volumeFields } from "#plugins/market-index/schemas/volumeFields.ts";

export const trendingRowSchema = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.addressText("The collection's contract."),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		lifecycle: lifecycleSchema,
		soldOut: field.flag("True while presented as `minted_out`."),
		lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
		holders: field
			.integer("Distinct owners; null = unknown. Elsewhere called `ownersCount`.", 3_120)
			.nullable(),
		listed: field
			.integer("Tokens for sale; null = unknown. Elsewhere called `listedCount`.", 214)
			.nullable(),
		volumeNative: field
			.number("Accepted sales of the window in ETH equivalents; null = unknown.", 54.3)
			.nullable(),
		...volumeFields,
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		sales: field
			.integer("Accepted sales of the window; null where nothing of it was read.", 42)
			.nullable(),
		coverage: partialSchema,
	})
	.meta({ id: "TrendingRow", description: "A collection with its sales of one window." });

export type TrendingRow = z.output<typeof trendingRowSchema>;
