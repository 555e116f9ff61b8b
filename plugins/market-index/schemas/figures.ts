// Describes figures, candles and coverage as clients see them.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { nativeCurrency } from "#plugins/market-index/display.ts";
import {
	type Candle,
	FIGURE_SOURCES,
	UNKNOWN_REASONS,
	WINDOW_MS,
} from "#plugins/market-index/rollup/windows.ts";

const currencySchema = z
	.object({
		symbol: z.literal(nativeCurrency.symbol).meta({ description: "Its symbol." }),
		decimals: z
			.literal(nativeCurrency.decimals)
			.meta({ description: "Decimal places of its smallest unit." }),
	})
	.meta({ id: "SumCurrency", description: "What exact sums are counted in: ETH, in wei." });

/** The exact integer of a volume, and its currency. */
export const volumeFields = {
	volumeRaw: field
		.digits("The volume as an exact integer of `volumeCurrency`.", "54300000000000000000")
		.nullable(),
	volumeCurrency: currencySchema,
};

export const candleSchema = z
	.object({
		openTime: field.time("When the interval begins."),
		open: field.number("Price of the interval's first sale, in ETH equivalents a unit.", 1.2),
		high: field.number("Highest price, in ETH equivalents a unit.", 1.4),
		low: field.number("Lowest price, in ETH equivalents a unit.", 1.1),
		close: field.number("Price of the interval's last sale, in ETH equivalents a unit.", 1.3),
		volumeNative: field.number("Sum of all sales, in ETH equivalents.", 5),
		volumeRaw: field.digits(
			"`volumeNative` as an exact integer of `volumeCurrency`.",
			"5000000000000000000",
		),
		volumeCurrency: volumeFields.volumeCurrency,
		sales: field.integer("Accepted sales of the interval, also those whose price is not known.", 4),
	})
	.meta({
		id: "Candle",
		description: "Accepted sales of one interval, in ETH equivalents for one unit.",
	}) satisfies z.ZodType<Candle>;

/** The part of a figure's window whose events were read. */
export const coverageSchema = z
	.object({
		from: field
			.time("From this time on nothing is missing; null where that is not known.")
			.nullable(),
		until: field
			.time("Until this time nothing is missing; null where that is not known.")
			.nullable(),
		fraction: field
			.number(
				"Share of the whole, from 0 to 1, rounded down: 1 only where nothing is missing; null where " +
					"the whole is not known.",
				0.125,
			)
			.nullable(),
	})
	.meta({ id: "Coverage", description: "How much of a figure was looked at." });

export type ShownCoverage = z.output<typeof coverageSchema>;

/** Describes one figure with its source. */
export const figureSchema = z
	.object({
		value: field.number("The figure in `unit`; null = unknown.", 1.2).nullable(),
		valueRaw: field
			.digits(
				"Of an amount of ETH, the exact integer in wei; null otherwise.",
				"1200000000000000000",
			)
			.nullable(),
		unit: z
			.enum(["ETH", "percent", "count"])
			.meta({ description: "What `value` is counted in; ETH equivalents for `ETH`." }),
		source: z
			.enum(FIGURE_SOURCES)
			.nullable()
			.meta({
				description:
					"`chain`: what was read on chain; `provider`: what the marketplace provider told; `walk`: " +
					"the scan of all transfers of the contract. Of several, the one that covers most. Null " +
					"where nobody told it.",
			}),
		window: z
			.enum(Object.keys(WINDOW_MS) as [keyof typeof WINDOW_MS])
			.nullable()
			.meta({
				description:
					"How long the time until now is that it is about; null: a moment, or all time.",
			}),
		asOf: field
			.time("The time that it stands for; null where it is unknown, or nobody noted it.")
			.nullable(),
		coverage: coverageSchema.nullable().meta({
			description: "Null where its source told it as a whole, and where it is unknown.",
		}),
		reason: z
			.enum(UNKNOWN_REASONS)
			.nullable()
			.meta({
				description:
					"Why it is null. `not_read`: nobody has told a number. `not_covered`: nothing of its window was " +
					"looked at. `not_counted`: its source says zero before it has counted. `no_price`: what " +
					"was paid has no known price. `contradicted`: none was counted, and another source knows of " +
					"some. `nothing`: there was nothing to make it of.",
			}),
	})
	.meta({
		id: "Figure",
		description: "One figure with where it comes from, or why it is unknown.",
	});

export type ShownFigure = z.output<typeof figureSchema>;

const figure = (description: string) => figureSchema.meta({ description });

/** Every figure of a collection's detail, by the name of the field that shows it. */
export const figuresSchema = z
	.object({
		floorNative: figure("Lowest known ask: `floorNative`, `floor` and `floor_price` of `market`."),
		floorChange24hPercent: figure("Change of the floor in 24 hours."),
		volume24hNative: figure("Sales of 24 hours: `volume24hNative` and `volume_24h` of `market`."),
		sales24h: figure("Number of sales in 24 hours: `sales24h` of `market`."),
		ownersCount: figure("Distinct owners: `ownersCount` and `owners` of `market`."),
		listedCount: figure("Tokens for sale: `listedCount` of `market`."),
		totalSupply: figure("Units that exist: `totalSupply` of `market`."),
		mints1h: figure("Mint events of the last hour: `mints1h` of `mint`."),
		mintedSupply: figure("Units ever minted: `mintedSupply` of `mint`."),
		mintPriceNative: figure("What the last mint cost a unit: `priceNative` of `mint`."),
	})
	.meta({
		id: "CollectionFigures",
		description:
			"Where each figure comes from, and how far it is from right: the same values as in `market` " +
			"and `mint`.",
	});

export type ShownFigures = z.output<typeof figuresSchema>;

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

/**
 * Describes one figure of the strip. `asOf` is null where the value is, and where its age is not
 * known.
 */
export const tileSchema = z
	.object({
		key: z.enum(TILE_KEYS).meta({ description: "Which figure it is." }),
		label: field.text("Its name for people.", "Floor"),
		...figureSchema.shape,
	})
	.meta({ id: "Tile", description: "One of the 13 figures beside a collection's sales." });

export type Tile = z.output<typeof tileSchema>;

/** Returns the schema of a page's coverage: how much of the time that it is about was read. */
export function pageCoverageSchema(names: string) {
	return z.record(z.string(), coverageSchema).meta({
		description:
			`Of ${names}: those of which some may be missing, each with how much of the page's time was ` +
			"looked at (0: nothing; `fraction` null: the page goes back to the beginning, and how long " +
			"that is is not known). The page's time goes from its oldest row, or from the beginning where " +
			"no page follows, to where the page before it ended, or to now. What is not named is whole.",
	});
}
