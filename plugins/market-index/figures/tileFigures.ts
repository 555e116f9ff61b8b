// Computes the 13 figures of a collection's stat strip.

import { displayNative } from "#plugins/market-index/display.ts";
import { type FigureContext, windowCoverage } from "#plugins/market-index/figures/coverage.ts";
import {
	decideFigure,
	floorChangeFigure,
	floorFigure,
	listedFigure,
	ownersFigure,
	salesFigure,
	supplyFigure,
	volumeFigure,
} from "#plugins/market-index/figures/figures.ts";
import type { Figure, UnknownReason } from "#plugins/market-index/rollup/windows.ts";
import type { TileKey } from "#plugins/market-index/schemas/figures.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEvents.ts";
import type { TileSums } from "#plugins/market-index/sql/windowSums.ts";

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

/** Returns a part of a whole in percent, as old as the older of the two. */
function shareFigure(part: Figure, whole: Figure): Figure {
	const isKnown = part.value !== null && whole.value !== null && whole.value > 0;
	const times = [part.asOfMs, whole.asOfMs].filter((atMs) => atMs !== null);
	return decideFigure({
		value: isKnown ? (Number(part.value) / Number(whole.value)) * 100 : null,
		absent: part.reason ?? whole.reason ?? "nothing",
		source: part.source,
		asOfMs: times.length === 2 ? Math.min(...times) : null,
		isCounted: true,
	});
}
