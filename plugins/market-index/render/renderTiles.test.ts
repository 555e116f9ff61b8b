import { expect, test } from "bun:test";
import { renderTiles } from "#plugins/market-index/render/renderTiles.ts";
import { TILE_KEYS } from "#plugins/market-index/schemas/tileSchema.ts";

const row = {
	floorNative: null,
	floorBefore: null,
	ownersCount: null,
	ownersSource: null,
	isWalked: false,
	listedCount: 1,
	totalSupply: "0",
	lastProviderAt: null,
};
const figures = {
	sales: 2,
	units: "3",
	volume: "10",
	high: "9",
	low: "1",
	median: "5",
	volumeBefore: "0",
};

function values(changes: Partial<typeof figures>) {
	const tiles = renderTiles(row, { ...figures, ...changes }, null);
	return Object.fromEntries(tiles.map(({ key, value }) => [key, value]));
}

test("[API-10] the strip is 13 tiles in a fixed order", () => {
	expect(renderTiles(row, figures, null).map(({ key }) => key)).toEqual([...TILE_KEYS]);
	expect(TILE_KEYS).toHaveLength(13);
});

test("[API-10] a change from nothing is unknown, and so is a share of an unknown supply", () => {
	expect(values({})).toMatchObject({ volumeChange24h: null, listedPercent: null, supply: null });
	expect(values({ volumeBefore: "20" })).toMatchObject({ volumeChange24h: -50 });
});

test("[API-10] the average is over units, and without priced units unknown", () => {
	expect(values({ units: "2" }).averagePrice24h).toBe(5e-18);
	expect(values({ units: "0", volume: "0" })).toMatchObject({
		averagePrice24h: null,
		volume24h: null,
		sales24h: 2,
	});
});
