import { expect, test } from "bun:test";
import type { TiledRow } from "#plugins/market-index/figures/tileFigures.ts";
import { renderTiles } from "#plugins/market-index/render/renderTiles.ts";
import { TILE_KEYS } from "#plugins/market-index/schemas/tileSchema.ts";
import { NOW_MS, wholeSpans } from "#plugins/market-index/testing/marketFixture.ts";

const row = {
	floorNative: null,
	floorAt: null,
	floorBefore: null,
	ownersCount: null,
	ownersSource: null,
	ownersAt: null,
	listedCount: 1,
	listedAt: null,
	totalSupply: "0",
	supplySource: "chain",
	supplyAt: null,
	windowSales: 2,
	windowPriced: 2,
	windowVolume: "10",
	eventsFrom: null,
	eventsUntil: null,
	walkFrom: null,
	walkUntil: null,
	providerSalesDay: null,
	providerStatsAt: null,
} as const;
const figures = {
	units: "3",
	volume: "10",
	high: "9" as string | null,
	low: "1" as string | null,
	median: "5" as string | null,
	volumeBefore: "0",
};

const context = { nowMs: NOW_MS, spans: wholeSpans(NOW_MS) };

function values(changes: Partial<typeof figures>, of: Partial<TiledRow> = {}) {
	const tiles = renderTiles({ ...row, ...of }, { ...figures, ...changes }, context);
	return Object.fromEntries(tiles.map(({ key, value }) => [key, value]));
}

test("[API-10] the strip is 13 tiles in a fixed order", () => {
	expect(renderTiles(row, figures, context).map(({ key }) => key)).toEqual([...TILE_KEYS]);
	expect(TILE_KEYS).toHaveLength(13);
});

test("[API-10] a change from nothing is unknown, and so is a share of an unknown supply", () => {
	expect(values({})).toMatchObject({ volumeChange24h: null, listedPercent: null, supply: null });
	expect(values({ volumeBefore: "20" })).toMatchObject({ volumeChange24h: -50 });
});

test("[API-10] the average is over units, and without priced units unknown", () => {
	expect(values({ units: "2" }).averagePrice24h).toBe(5e-18);
	const none = { windowVolume: "0", windowPriced: 0 };
	const nulls = { high: null, low: null, median: null };
	const unpriced = values({ units: "0", volume: "0", ...nulls }, none);
	expect(unpriced).toMatchObject({ averagePrice24h: null, volume24h: null, sales24h: 2 });
});
