import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { lifecycleSchema } from "#plugins/market-index/schemas/lifecycleSchema.ts";
import { partialSchema } from "#plugins/market-index/schemas/partialSchema.ts";
import { volumeFields } from "#plugins/market-index/schemas/volumeFields.ts";

/** A collection in `trending`, `market` and `minting` of discover, and in its frames. */
export const discoverRowSchema = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		volume24hNative: field
			.number(
				"Accepted sales of the last 24 hours in ETH equivalents; null where no price of a sale is " +
					"known, or nothing of the day was read.",
				54.3,
			)
			.nullable(),
		...volumeFields,
		sales24h: field
			.integer("Accepted sales of the last 24 hours; null where nothing of them was read.", 42)
			.nullable(),
		floorChange24hPercent: field
			.number("Change of the floor in 24 hours, in percent; null where either is unknown.", -3.4)
			.nullable(),
		mints1h: field
			.integer("Mint events of the last hour; null where nothing of it was read.", 12)
			.nullable(),
		lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
		revealState: field
			.text("`unknown`, `placeholder` (all tokens look alike) or `revealed`.", "revealed")
			.meta({ examples: ["revealed", "unknown", "placeholder"] }),
		lifecycle: lifecycleSchema,
		coverage: partialSchema,
	})
	.meta({ id: "DiscoverRow", description: "A collection with the figures that discover shows." });

export type DiscoverRow = z.output<typeof discoverRowSchema>;
