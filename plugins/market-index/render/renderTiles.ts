import { floorChangePercent } from "#plugins/market-index/floor/floorChangePercent.ts";
import { displayCount } from "#plugins/market-index/render/displayCount.ts";
import { displayFloor } from "#plugins/market-index/render/displayFloor.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import { displayTime } from "#plugins/market-index/render/displayTime.ts";
import { displayVolume } from "#plugins/market-index/render/displayVolume.ts";
import { TILE_KEYS, type Tile, type TileKey } from "#plugins/market-index/schemas/tileSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { TileFigures } from "#plugins/market-index/sql/readTileFigures.ts";

type ProviderCounts = Pick<
	CollectionRow,
	| "floorNative"
	| "floorBefore"
	| "ownersCount"
	| "ownersSource"
	| "listedCount"
	| "totalSupply"
	| "isWalked"
	| "lastProviderAt"
>;

type Face = { label: string; unit: Tile["unit"]; source: "index" | "provider" };

const FACES: Record<TileKey, Face> = {
	floor: { label: "Floor", unit: "ETH", source: "provider" },
	floorChange24h: { label: "Floor 24h", unit: "percent", source: "provider" },
	volume24h: { label: "Volume 24h", unit: "ETH", source: "index" },
	volumeChange24h: { label: "Volume change 24h", unit: "percent", source: "index" },
	sales24h: { label: "Sales 24h", unit: "count", source: "index" },
	averagePrice24h: { label: "Average price 24h", unit: "ETH", source: "index" },
	medianPrice24h: { label: "Median price 24h", unit: "ETH", source: "index" },
	highestSale24h: { label: "Highest sale 24h", unit: "ETH", source: "index" },
	lowestSale24h: { label: "Lowest sale 24h", unit: "ETH", source: "index" },
	owners: { label: "Owners", unit: "count", source: "provider" },
	listed: { label: "Listed", unit: "count", source: "provider" },
	listedPercent: { label: "Listed share", unit: "percent", source: "provider" },
	supply: { label: "Supply", unit: "count", source: "provider" },
};

/** The stat strip of 13. `indexedAt` is how far the sale lane has come, the age of our figures. */
export function renderTiles(
	row: ProviderCounts,
	figures: TileFigures,
	indexedAt: Date | null,
): Tile[] {
	const values = valuesOf(row, figures);
	return TILE_KEYS.map((key) => {
		const { label, unit } = FACES[key];
		const source = sourceOf(key, row);
		const value = values[key];
		const at = source === "index" ? indexedAt : row.lastProviderAt;
		return { key, label, value, unit, asOf: value === null ? null : displayTime(at) };
	});
}

/** Owners and supply are our own where a walk or our events told them. */
function sourceOf(key: TileKey, row: ProviderCounts): Face["source"] {
	if (key === "owners" && row.ownersSource !== "provider") return "index";
	if (key === "supply" && row.isWalked) return "index";
	return FACES[key].source;
}

function valuesOf(row: ProviderCounts, figures: TileFigures): Record<TileKey, number | null> {
	const volume = displayVolume(figures.volume, figures.sales);
	const before = displayNative(figures.volumeBefore);
	const units = BigInt(figures.units);
	const average = units === 0n ? null : (BigInt(figures.volume) / units).toString();
	const supply = displayCount(row.totalSupply);
	const listed = row.listedCount;
	return {
		floor: displayFloor(row.floorNative),
		floorChange24h: floorChangePercent(row.floorNative, row.floorBefore),
		volume24h: volume,
		// Nothing before is no base to compare with.
		volumeChange24h: volume === null || !before ? null : ((volume - before) / before) * 100,
		sales24h: figures.sales,
		averagePrice24h: displayNative(average),
		medianPrice24h: displayNative(figures.median),
		highestSale24h: displayNative(figures.high),
		lowestSale24h: displayNative(figures.low),
		owners: row.ownersCount,
		listed,
		listedPercent: listed === null || supply === null ? null : (listed / supply) * 100,
		supply,
	};
}
