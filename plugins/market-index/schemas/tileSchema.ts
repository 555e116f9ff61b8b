import { z } from "zod";

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
export const tileSchema = z.object({
	key: z.enum(TILE_KEYS),
	label: z.string(),
	value: z.number().nullable(),
	unit: z.enum(["ETH", "percent", "count"]),
	asOf: z.string().nullable(),
});

export type Tile = z.output<typeof tileSchema>;
