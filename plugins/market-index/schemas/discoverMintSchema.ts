import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/marketEventSchema.ts";

const collectionOfMint = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
	})
	.meta({ id: "MintedCollection", description: "The collection that a token was minted of." });

/** A mint in discover, joined to its collection. */
export const discoverMintSchema = marketEventSchema
	.extend({ collection: collectionOfMint })
	.meta({ id: "DiscoverMint", description: "A mint, with the collection that it belongs to." });

export type DiscoverMint = z.output<typeof discoverMintSchema>;
