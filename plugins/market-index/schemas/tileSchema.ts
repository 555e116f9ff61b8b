import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { figureSchema } from "#plugins/market-index/schemas/figureSchema.ts";

/** The stat strip, in its order. */
export const TILE_KEYS = [
	"floor",
	"floorChange24h",
	"volume24h",
	"volumeChange24h",
	"sales24h",
	"averagePrice24h",
	"medianPrice24h",
	"highestSale24h",
	"lowestSale24h",
	"owners",
	"listed",
	"listedPercent",
	"supply",
] as const;

export type TileKey = (typeof TILE_KEYS)[number];

/** One figure of the strip. `asOf` is null where the value is, and where its age is not known. */
export const tileSchema = z
	.object({
		key: z.enum(TILE_KEYS).meta({ description: "Which figure it is." }),
		label: field.text("Its name for people.", "Floor"),
		...figureSchema.shape,
	})
	.meta({ id: "Tile", description: "One of the 13 figures beside a collection's sales." });

export type Tile = z.output<typeof tileSchema>;
