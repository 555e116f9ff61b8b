// Renders figures for clients: each with its source, tiles, and the provider's stats.

import { z } from "zod";
import { type FigureContext, renderCoverage } from "#plugins/market-index/figures/coverage.ts";
import {
	floorChangeFigure,
	floorFigure,
	listedFigure,
	mintedFigure,
	mintPriceFigure,
	mintsFigure,
	ownersFigure,
	salesFigure,
	supplyFigure,
	volumeFigure,
} from "#plugins/market-index/figures/figures.ts";
import { type TiledRow, tileFigures } from "#plugins/market-index/figures/tileFigures.ts";
import { cleanPayload } from "#plugins/market-index/payload.ts";
import type { Figure } from "#plugins/market-index/rollup/windows.ts";
import {
	type ShownFigure,
	type ShownFigures,
	TILE_KEYS,
	type Tile,
	type TileKey,
} from "#plugins/market-index/schemas/figures.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { TileSums } from "#plugins/market-index/sql/windowSums.ts";

type ShownStats = {
	total: Record<string, unknown> & {
		floor_price: number | null;
		floor_price_symbol: string | null;
	};
	/** Only where the provider sent them. */
	intervals?: Record<string, unknown>[];
};

type Face = { label: string; unit: Tile["unit"] };

const figures = z.record(z.string(), z.unknown());

/** An interval with its name, which may be any text; an interval without a name is left out. */
const interval = z.looseObject({ interval: z.string() });

const statsSchema = z.object({
	total: figures.catch({}),
	intervals: z.array(interval.nullable().catch(null)).optional().catch(undefined),
});

/** Figures that are numbers from zero on; any other value is dropped. */
const COUNTED = ["volume", "sales", "average_price", "market_cap"];

const FACES: Record<TileKey, Face> = {
	floor: { label: "Floor", unit: "ETH" },
	floorChange24h: { label: "Floor 24h", unit: "percent" },
	volume24h: { label: "Volume 24h", unit: "ETH" },
	volumeChange24h: { label: "Volume change 24h", unit: "percent" },
	sales24h: { label: "Sales 24h", unit: "count" },
	averagePrice24h: { label: "Average price 24h", unit: "ETH" },
	medianPrice24h: { label: "Median price 24h", unit: "ETH" },
	highestSale24h: { label: "Highest sale 24h", unit: "ETH" },
	lowestSale24h: { label: "Lowest sale 24h", unit: "ETH" },
	owners: { label: "Owners", unit: "count" },
	listed: { label: "Listed", unit: "count" },
	listedPercent: { label: "Listed share", unit: "percent" },
	supply: { label: "Supply", unit: "count" },
};

/** Renders every figure of a collection read over 24 hours, with its source. */
export function renderFigures(
	row: CollectionRow,
	context: FigureContext,
	mintPriceWei: string | null,
): ShownFigures {
	const count = { unit: "count" } as const;
	const eth = (wei: string | null) => ({ unit: "ETH", wei }) as const;
	return {
		floorNative: renderFigure(floorFigure(row), eth(row.floorNative)),
		floorChange24hPercent: renderFigure(floorChangeFigure(row), { unit: "percent" }),
		volume24hNative: renderFigure(volumeFigure(row, context), eth(row.windowVolume)),
		sales24h: renderFigure(salesFigure(row, context), count),
		ownersCount: renderFigure(ownersFigure(row, context), count),
		listedCount: renderFigure(listedFigure(row), count),
		totalSupply: renderFigure(supplyFigure(row, context), count),
		mints1h: renderFigure(mintsFigure(row, context), count),
		mintedSupply: renderFigure(mintedFigure(row, context), count),
		mintPriceNative: renderFigure(mintPriceFigure(mintPriceWei, row), eth(mintPriceWei)),
	};
}

/**
 * Renders the provider's stats in its own shape, with uncounted figures made null: a floor of zero,
 * no owners, a volume of zero with sales.
 */
export function renderProviderStats(stored: unknown): ShownStats {
	const told = figures.catch({}).parse(stored);
	const { total, intervals } = statsSchema.catch({ total: {} }).parse(cleanPayload(told));
	const floor = positive(total["floor_price"]);
	const symbol = total["floor_price_symbol"];
	return {
		total: {
			...withVolume(total),
			...(Object.hasOwn(total, "num_owners") && { num_owners: positive(total["num_owners"]) }),
			floor_price: floor,
			floor_price_symbol: floor !== null && typeof symbol === "string" && symbol ? symbol : null,
		},
		...(intervals && {
			intervals: intervals.filter((one) => one !== null).map(withVolume),
		}),
	};
}

/** Renders the stat strip of 13, each with its time, its source and its coverage. */
export function renderTiles(
	row: TiledRow,
	sums: TileSums,
	context: Pick<FigureContext, "nowMs" | "spans">,
): Tile[] {
	const figures = tileFigures(row, sums, context);
	return TILE_KEYS.map((key) => {
		const { label, unit } = FACES[key];
		const { figure, wei } = figures[key];
		return { key, label, ...renderFigure(figure, { unit, wei }) };
	});
}

/** Renders a figure for clients; `wei` is the exact integer behind an amount of ETH. */
export function renderFigure(
	figure: Figure,
	shown: { unit: ShownFigure["unit"]; wei?: string | null },
): ShownFigure {
	const { value, source, window, asOfMs, coverage, reason } = figure;
	return {
		value,
		valueRaw: value === null ? null : (shown.wei ?? null),
		unit: shown.unit,
		source,
		window,
		asOf: asOfMs === null ? null : new Date(asOfMs).toISOString(),
		coverage: coverage && renderCoverage(coverage),
		reason,
	};
}

function positive(value: unknown): number | null {
	return typeof value === "number" && value > 0 ? value : null;
}

function withVolume(told: Record<string, unknown>): Record<string, unknown> {
	const figure = { ...told };
	for (const name of COUNTED) {
		if (Object.hasOwn(figure, name)) figure[name] = counted(figure[name]);
	}
	const isUnknown = figure["volume"] === 0 && positive(figure["sales"]) !== null;
	return isUnknown ? { ...figure, volume: null } : figure;
}

function counted(value: unknown): number | null {
	return typeof value === "number" && value >= 0 ? value : null;
}
