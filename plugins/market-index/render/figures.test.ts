import { describe, expect, test } from "bun:test";
import { displayProvider } from "#plugins/market-index/display.ts";
import {
	renderProviderStats,
	renderTiles,
	type TiledRow,
} from "#plugins/market-index/render/figures.ts";
import { TILE_KEYS } from "#plugins/market-index/schemas/figures.ts";
import { NOW_MS, wholeSpans } from "#plugins/market-index/testing/marketFixture.ts";

describe("renderProviderStats", () => {
	test("[IDX-03] stats keep the provider's shape, with the floor in the currency that it names", () => {
		const total = {
			volume: 12.5,
			sales: 3,
			num_owners: 2,
			floor_price: 3,
			floor_price_symbol: "APE",
		};
		const intervals = [{ interval: "one_day", volume: 4, volume_symbol: "ETH", sales: 1 }];
		expect(renderProviderStats({ total, intervals })).toEqual({ total, intervals });
	});

	test("[MRG-02] a figure that the provider has not counted is null and never 0", () => {
		const total = { volume: 0, sales: 3, num_owners: 0, floor_price: 0, floor_price_symbol: "" };
		const intervals = [
			{ interval: "one_day", volume: 0, sales: 1 },
			{ interval: "seven_days", volume: 0, sales: 0 },
		];
		expect(renderProviderStats({ total, intervals })).toEqual({
			total: {
				volume: null,
				sales: 3,
				num_owners: null,
				floor_price: null,
				floor_price_symbol: null,
			},
			intervals: [
				{ interval: "one_day", volume: null, sales: 1 },
				{ interval: "seven_days", volume: 0, sales: 0 },
			],
		});
	});

	test("[MRG-15] a figure of another type, or below zero, is null", () => {
		const total = { volume: "12", sales: "many", num_owners: -3, average_price: -1, fresh: "kept" };
		expect(
			renderProviderStats({ total, intervals: [{ interval: "one_day", volume: {}, sales: 2 }] }),
		).toEqual({
			total: {
				volume: null,
				sales: null,
				num_owners: null,
				average_price: null,
				fresh: "kept",
				floor_price: null,
				floor_price_symbol: null,
			},
			intervals: [{ interval: "one_day", volume: null, sales: 2 }],
		});
	});

	test("[MRG-15] an unreadable interval does not affect the other intervals", () => {
		const day = { interval: "one_day", volume: 4, volume_symbol: "ETH", sales: 1 };
		const odd = [null, 7, "one_day", [], { interval: 5, sales: 1 }, { interval: null }];
		expect(renderProviderStats({ intervals: [...odd, day, null] }).intervals).toEqual([day]);
		expect(renderProviderStats({ intervals: odd }).intervals).toEqual([]);
	});

	test("stats that are missing or of an unknown shape are unknown", () => {
		const unknown = { total: { floor_price: null, floor_price_symbol: null } };
		for (const stored of [null, "text", [], {}, { total: 3, intervals: "x" }]) {
			expect(renderProviderStats(stored)).toEqual(unknown);
		}
		const odd = { total: { floor_price: "0.5", floor_price_symbol: 7 } };
		expect(renderProviderStats(odd)).toEqual(unknown);
	});

	const nowMs = 1_000_000_000;
	const shown = (
		health: Parameters<typeof displayProvider>[0],
		lastProviderAt: Date | null = new Date(nowMs - 60_000),
	) => displayProvider(health, { lastProviderAt, nowMs });

	test("[IDX-02] the stream of a new collection is connecting, then as reported", () => {
		const health = { isConnected: true, stream: "live" } as const;
		expect(shown(health, null).provider_stream).toBe("connecting");
		expect(shown(health).provider_stream).toBe("live");
		expect(shown({ ...health, stream: "off" }, null).provider_stream).toBe("off");
	});

	test("[IDX-02] a process that never calls the provider shows the state of the collection's last sync", () => {
		const of = (isConnected: boolean | null, at: Date | null) =>
			shown({ isConnected, stream: "off" }, at).health.providerConnected;
		const recent = new Date(nowMs - 600_000);
		expect([of(true, null), of(false, recent)]).toEqual([true, false]);
		expect([of(null, recent), of(null, new Date(0)), of(null, null)]).toEqual([true, false, false]);
	});
});

describe("renderTiles", () => {
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

	test("[API-10] there are 13 tiles in a fixed order", () => {
		expect(renderTiles(row, figures, context).map(({ key }) => key)).toEqual([...TILE_KEYS]);
		expect(TILE_KEYS).toHaveLength(13);
	});

	test("[API-10] a change from zero is unknown, and so is a share of an unknown supply", () => {
		expect(values({})).toMatchObject({ volumeChange24h: null, listedPercent: null, supply: null });
		expect(values({ volumeBefore: "20" })).toMatchObject({ volumeChange24h: -50 });
	});

	test("[API-10] the average is over units, and unknown without priced units", () => {
		expect(values({ units: "2" }).averagePrice24h).toBe(5e-18);
		const none = { windowVolume: "0", windowPriced: 0 };
		const nulls = { high: null, low: null, median: null };
		const unpriced = values({ units: "0", volume: "0", ...nulls }, none);
		expect(unpriced).toMatchObject({ averagePrice24h: null, volume24h: null, sales24h: 2 });
	});
});
