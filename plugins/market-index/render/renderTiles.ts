import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { type TiledRow, tileFigures } from "#plugins/market-index/figures/tileFigures.ts";
import { renderFigure } from "#plugins/market-index/render/renderFigure.ts";
import { TILE_KEYS, type Tile, type TileKey } from "#plugins/market-index/schemas/tileSchema.ts";
import type { TileSums } from "#plugins/market-index/sql/readTileFigures.ts";

type Face = { label: string; unit: Tile["unit"] };

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
