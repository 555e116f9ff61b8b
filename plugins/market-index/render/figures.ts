// Renders figures for clients, and computes the 13 of a collection's stat strip.

import { z } from "zod";
import { displayNative } from "#plugins/market-index/display.ts";
import {
	type FigureContext,
	renderCoverage,
	windowCoverage,
} from "#plugins/market-index/figures/coverage.ts";
import {
	decideFigure,
	floorChangeFigure,
	floorFigure,
	listedFigure,
	mintedFigure,
	mintPriceFigure,
	mintsFigure,
	ownersFigure,
	salesFigure,
	shareFigure,
	supplyFigure,
	volumeFigure,
} from "#plugins/market-index/figures/figures.ts";
import { cleanPayload } from "#plugins/market-index/payload.ts";
import type { Figure, UnknownReason } from "#plugins/market-index/rollup/windows.ts";
import {
	type ShownFigure,
	type ShownFigures,
	TILE_KEYS,
	type Tile,
	type TileKey,
} from "#plugins/market-index/schemas/figures.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEvents.ts";
import type { TileSums } from "#plugins/market-index/sql/windowSums.ts";

type ShownStats = {
	total: Record<string, unknown> & {
		floor_price: number | null;
		floor_price_symbol: string | null;
	};
	/** The intervals, only where the provider sent them. */
	intervals?: Record<string, unknown>[];
};

type Face = { label: string; unit: Tile["unit"] };

/** The columns of a collection that the tiles are made from. */
export type TiledRow = ProviderEvents &
	Pick<
		CollectionRow,
		| "floorNative"
		| "floorAt"
		| "floorBefore"
		| "ownersCount"
		| "ownersSource"
		| "ownersAt"
		| "listedCount"
		| "listedAt"
		| "totalSupply"
		| "supplySource"
		| "supplyAt"
		| "windowSales"
		| "windowPriced"
		| "windowVolume"
		| "providerSalesDay"
		| "providerStatsAt"
	>;

/** A tile's figure, and the exact integer behind an amount of ETH. */
type TileFigure = { figure: Figure; wei: string | null };

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

/**
 * Returns the 13 figures of the strip. Figures that other answers show too come from the same
 * functions; the others are made from the day's sales, and so are covered as far as the volume is.
 */
export function tileFigures(
	row: TiledRow,
	sums: TileSums,
	given: Pick<FigureContext, "nowMs" | "spans">,
): Record<TileKey, TileFigure> {
	const context: FigureContext = { ...given, window: "24h" };
	const volume = volumeFigure(row, context);
	const supply = supplyFigure(row, context);
	const listed = listedFigure(row);
	const units = BigInt(sums.units);
	const average = units === 0n ? null : (BigInt(sums.volume) / units).toString();
	const covered = windowCoverage(row, context, { kind: "sales", window: "24h" });
	const price = (wei: string | null) => {
		return { figure: priceFigure(wei, row, { volume, covered }), wei };
	};
	const count = (figure: Figure) => ({ figure, wei: null });
	return {
		floor: { figure: floorFigure(row), wei: row.floorNative },
		floorChange24h: count(floorChangeFigure(row)),
		volume24h: { figure: volume, wei: row.windowVolume },
		volumeChange24h: count(volumeChangeFigure(row, sums, { ...context, volume })),
		sales24h: count(salesFigure(row, context)),
		averagePrice24h: price(average),
		medianPrice24h: price(sums.median),
		highestSale24h: price(sums.high),
		lowestSale24h: price(sums.low),
		owners: count(ownersFigure(row, context)),
		listed: count(listed),
		listedPercent: count(shareFigure(listed, supply)),
		supply: count(supply),
	};
}

/**
 * Makes a figure from the day's prices. Without any price it is unknown, for the volume's reason.
 */
function priceFigure(
	wei: string | null,
	row: TiledRow,
	{ volume, covered }: { volume: Figure; covered: ReturnType<typeof windowCoverage> },
): Figure {
	const none: UnknownReason = row.windowSales > 0 ? "no_price" : "nothing";
	return decideFigure({
		value: displayNative(wei),
		absent: volume.reason ?? none,
		source: covered.source,
		window: "24h",
		coverage: volume.coverage ?? covered.coverage,
		isCounted: true,
	});
}

/**
 * Returns the change of volume against the day before; null where that day had none. Both must be
 * covered.
 */
function volumeChangeFigure(
	row: TiledRow,
	{ volumeBefore }: TileSums,
	context: Pick<FigureContext, "nowMs" | "spans"> & { volume: Figure },
): Figure {
	const { value } = context.volume;
	const before = displayNative(volumeBefore);
	const { source, coverage } = windowCoverage(row, context, { kind: "sales", window: "48h" });
	return decideFigure({
		value: value === null || !before ? null : ((value - before) / before) * 100,
		absent: value === null ? (context.volume.reason ?? "not_read") : "nothing",
		source,
		window: "24h",
		coverage,
		isCounted: true,
		isSigned: true,
	});
}
