import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { type ChainSpans, NO_SPANS } from "#plugins/market-index/figures/coverage.ts";
import { ownersFigure } from "#plugins/market-index/figures/figures.ts";
import {
	renderCollection,
	renderDiscoverRow,
	renderMint,
	renderTrendingRow,
} from "#plugins/market-index/render/collection.ts";
import { renderFigures, renderTiles } from "#plugins/market-index/render/figures.ts";
import type { Span } from "#plugins/market-index/rollup/windows.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/collection.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figures.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { contractOf, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

// Guarantee: whatever is stored of a collection, coverage, source and age decide between null and a
// number, in the same way for market, figures, tiles, lists and frames.

const past = fc.integer({ min: 0, max: 3 * DAY_MS }).map((ageMs) => NOW_MS - ageMs);
const moment = fc.option(
	past.map((ms) => new Date(ms)),
	{ nil: null },
);
const span: fc.Arbitrary<Span | null> = fc.option(
	fc
		.tuple(fc.oneof(past, fc.constant(0)), past)
		.map(([a, b]) => ({ fromMs: Math.min(a, b), untilMs: Math.max(a, b) })),
	{ nil: null },
);
const spans: fc.Arbitrary<ChainSpans> = fc.record({
	sales: span,
	mints: span,
	movesUntilMs: fc.option(past, { nil: null }),
});
const wei = fc.constantFrom("0", "1", "2500000000000000000");
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const count = fc.constantFrom(0, 1, 57);

const BARE: CollectionRow = {
	id: 1,
	chainId: ethereum.id,
	address: contractOf(1),
	slug: "cats",
	name: null,
	imageUrl: null,
	syncStatus: "queued",
	lastProviderAt: null,
	revealState: "unknown",
	revealCheckedAt: null,
	revealedAt: null,
	ownersCount: null,
	ownersSource: null,
	ownersAt: null,
	listedCount: null,
	listedAt: null,
	floorNative: null,
	floorAt: null,
	isTraded: false,
	isAnnounced: false,
	floorUsd: null,
	floorBefore: null,
	maxSupply: null,
	totalSupply: null,
	supplySource: null,
	supplyAt: null,
	isWalked: false,
	mintedSupply: "0",
	mintedUnits: "0",
	firstMintAt: null,
	lastMintAt: null,
	lastMintTotalRaw: null,
	lastMintQuantity: null,
	lastMintCurrency: null,
	sales: 0,
	lastSaleAt: null,
	lastSaleTokenId: null,
	lastSaleUnitNative: null,
	lastSaleTransaction: null,
	windowSales: 0,
	windowPriced: 0,
	windowVolume: "0",
	eventsFrom: null,
	eventsUntil: null,
	walkFrom: null,
	walkUntil: null,
	providerSalesDay: null,
	providerStatsAt: null,
	mints1h: 0,
	washFrom: null,
};

const row: fc.Arbitrary<CollectionRow> = fc
	.record({
		ownersCount: some(count),
		ownersSource: some(fc.constantFrom("walk", "provider", "recipients")),
		ownersAt: moment,
		listedCount: some(count),
		listedAt: moment,
		floorNative: some(wei),
		floorAt: moment,
		floorBefore: some(wei),
		totalSupply: some(fc.constantFrom("0", "521")),
		supplySource: some(fc.constantFrom("walk", "chain", "provider")),
		supplyAt: moment,
		mintedSupply: fc.constantFrom("0", "5", "521"),
		windowSales: count,
		windowPriced: count,
		windowVolume: wei,
		held: span,
		walked: span,
		providerSalesDay: some(count),
		providerStatsAt: moment,
		mints1h: count,
	})
	.map(({ held, walked, ...given }) => ({
		...BARE,
		...given,
		isWalked: given.ownersSource === "walk",
		ownersCount: given.ownersSource === null ? null : given.ownersCount,
		totalSupply: given.supplySource === null ? null : given.totalSupply,
		windowPriced: Math.min(given.windowPriced, given.windowSales),
		windowVolume: Math.min(given.windowPriced, given.windowSales) > 0 ? given.windowVolume : "0",
		eventsFrom: held && new Date(held.fromMs),
		eventsUntil: held && new Date(held.untilMs),
		walkFrom: walked && new Date(walked.fromMs),
		walkUntil: walked && new Date(walked.untilMs),
	}));

/** The day's prices, where any of its sales has one. */
function sumsOf({ windowPriced, windowVolume: volume }: CollectionRow) {
	const volumeBefore = "8";
	if (windowPriced > 0)
		return { units: "2", volume, high: "3", low: "1", median: "2", volumeBefore };
	return { units: "0", volume: "0", high: null, low: null, median: null, volumeBefore };
}

function allOf(of: CollectionRow, lanes: ChainSpans) {
	const context = { nowMs: NOW_MS, window: "24h", spans: lanes } as const;
	return {
		market: renderCollection(ethereum, of, {
			nowMs: NOW_MS,
			spans: lanes,
			coverageEnd: null,
			prices: { ethUsd: () => null },
			provider: { isOn: true, isConnected: true, stream: "off" },
		}),
		figures: renderFigures(of, context, null),
		mint: renderMint(of, context, null),
		tiles: renderTiles(of, sumsOf(of), context),
		discover: renderDiscoverRow(ethereum, of, { nowMs: NOW_MS, spans: lanes }),
		trending: renderTrendingRow(ethereum, of, context),
	};
}

test("[MRG-02] each figure is null with a reason, or a number with its coverage", () => {
	fc.assert(
		fc.property(row, spans, (of, lanes) => {
			const { figures, tiles } = allOf(of, lanes);
			for (const figure of [...Object.values(figures), ...tiles] as ShownFigure[]) {
				const { value, valueRaw, reason, source, asOf, coverage, unit } = figure;
				expect(value === null).toBe(reason !== null);
				if (value === null) {
					expect([valueRaw, asOf, coverage]).toEqual([null, null, null]);
					continue;
				}
				if (source === null) expect(coverage).toEqual({ from: null, until: null, fraction: 0 });
				if (unit !== "percent") expect(value).toBeGreaterThanOrEqual(0);
				if (coverage) expect(coverage.fraction ?? 0).toBeLessThanOrEqual(1);
			}
		}),
	);
});

test("[MRG-02] a zero in a window is a number only if at least a minute of the window was read", () => {
	fc.assert(
		fc.property(row, spans, (of, lanes) => {
			const unsold = { windowSales: 0, windowPriced: 0, mints1h: 0, providerSalesDay: 0 };
			const { figures } = allOf({ ...of, ...unsold }, lanes);
			const isHeld = (lane: Span | null, lengthMs: number) =>
				[lane, of.eventsFrom && of.eventsUntil && spanOf(of)].some((held) => {
					if (!held) return false;
					const start = Math.floor((NOW_MS - lengthMs) / 60_000) * 60_000;
					const fromMs = Math.max(held.fromMs, start);
					return Math.min(held.untilMs, NOW_MS) - fromMs >= 60_000;
				});
			// Two that touch may hold a minute together: then neither test below says otherwise.
			if (isHeld(lanes.sales, DAY_MS)) expect(figures.sales24h.value).toBe(0);
			if (isHeld(lanes.mints, HOUR_MS)) expect(figures.mints1h.value).toBe(0);
			const none = { sales: null, mints: null, movesUntilMs: null };
			const unread = allOf({ ...BARE }, none).figures;
			for (const figure of Object.values(unread)) expect(figure.value).toBeNull();
		}),
	);
});

test("[MRG-02] owners and minted supply of a walk are partial while the transfer lane owes blocks", () => {
	fc.assert(
		fc.property(row, spans, (of, lanes) => {
			const walked = {
				...of,
				isWalked: true,
				ownersSource: "walk" as const,
				ownersCount: 5,
				supplySource: "walk" as const,
				totalSupply: "7",
				mintedSupply: "9",
			};
			const fractions = (movesOwed: boolean) => {
				const { figures } = allOf(walked, { ...lanes, movesOwed });
				const { ownersCount, mintedSupply, totalSupply } = figures;
				return [ownersCount, mintedSupply, totalSupply].map((one) => {
					return [one.value, one.coverage?.fraction ?? null];
				});
			};
			// A supply without a coverage is whole.
			expect(fractions(false)).toEqual([
				[5, 1],
				[9, 1],
				[7, null],
			]);
			expect(allOf(walked, lanes).figures.totalSupply.coverage).toBeNull();
			expect(fractions(true)).toEqual([
				[5, null],
				[9, null],
				[7, null],
			]);
			const owing = allOf(walked, { ...lanes, movesOwed: true }).figures;
			expect(owing.totalSupply.coverage).not.toBeNull();
		}),
	);
});

function spanOf({ eventsFrom, eventsUntil }: CollectionRow): Span {
	return { fromMs: Number(eventsFrom), untilMs: Number(eventsUntil) };
}

test("[MRG-02] a volume of zero is null if any source has sales", () => {
	fc.assert(
		fc.property(row, spans, (of, lanes) => {
			const own = { ...of, windowVolume: "0", windowSales: 57, windowPriced: 0 };
			expect(allOf(own, lanes).market.volume_24h).toBeNull();
			const told = { providerSalesDay: 57, providerStatsAt: new Date(NOW_MS - HOUR_MS) };
			const theirs = { ...of, ...told, windowVolume: "0", windowSales: 0, windowPriced: 0 };
			// Unless the chain itself was read all day long: its word stands.
			const lanesOnly = { ...lanes, sales: { fromMs: 0, untilMs: NOW_MS - DAY_MS / 2 } };
			expect(allOf(theirs, lanesOnly).market.volume_24h).toBeNull();
			const whole = { ...lanes, sales: { fromMs: 0, untilMs: NOW_MS } };
			expect(allOf(theirs, whole).market.volume_24h).toBe(0);
		}),
	);
});

test("market, figures, tiles, lists and frames show the same numbers", () => {
	fc.assert(
		fc.property(row, spans, (of, lanes) => {
			const { market, figures, mint, tiles, discover, trending } = allOf(of, lanes);
			const tile = new Map(tiles.map((one) => [one.key, one]));
			const same = (name: keyof typeof figures, ...others: unknown[]) => {
				for (const other of others) expect(other).toEqual(figures[name].value);
			};
			same("floorNative", market.floorNative, market.floor, market.floor_price);
			same("floorNative", discover.floorNative, trending.floorNative, tile.get("floor")?.value);
			same("floorChange24hPercent", discover.floorChange24hPercent);
			same("floorChange24hPercent", tile.get("floorChange24h")?.value);
			same("volume24hNative", market.volume24hNative, market.volume_24h);
			same("volume24hNative", discover.volume24hNative, trending.volumeNative);
			same("volume24hNative", tile.get("volume24h")?.value);
			same("sales24h", market.sales24h, discover.sales24h, trending.sales);
			same("sales24h", tile.get("sales24h")?.value);
			same("ownersCount", market.ownersCount, market.owners, trending.holders);
			same("ownersCount", tile.get("owners")?.value);
			same("listedCount", market.listedCount, trending.listed, tile.get("listed")?.value);
			same("totalSupply", market.totalSupply, tile.get("supply")?.value);
			same("mints1h", mint.mints1h, discover.mints1h);
			same("mintedSupply", mint.mintedSupply);
			for (const raw of [market.volumeRaw, discover.volumeRaw, trending.volumeRaw]) {
				expect(raw).toBe(figures.volume24hNative.valueRaw);
				expect(raw === null).toBe(market.volume_24h === null);
			}
			const partial = (name: keyof typeof figures) => {
				const { value, coverage } = figures[name];
				return value === null || coverage?.fraction === 1 ? undefined : (coverage ?? undefined);
			};
			const rows: [ShownPartial, [string, keyof typeof figures][]][] = [
				[
					market.coverage,
					[
						["volume24hNative", "volume24hNative"],
						["sales24h", "sales24h"],
						["ownersCount", "ownersCount"],
					],
				],
				[
					discover.coverage,
					[
						["volume24hNative", "volume24hNative"],
						["sales24h", "sales24h"],
						["mints1h", "mints1h"],
					],
				],
				[
					trending.coverage,
					[
						["volumeNative", "volume24hNative"],
						["sales", "sales24h"],
						["holders", "ownersCount"],
					],
				],
				[
					mint.coverage,
					[
						["mints1h", "mints1h"],
						["mintedSupply", "mintedSupply"],
					],
				],
			];
			for (const [told, names] of rows) {
				for (const [field, name] of names) expect(told[field]).toEqual(partial(name) as never);
				const known = names.map(([field]) => field);
				expect(Object.keys(told).filter((field) => !known.includes(field))).toEqual([]);
			}
		}),
	);
});

test("[MRG-04] minted is never zero beside a supply, and the count of a complete walk is complete", () => {
	fc.assert(
		fc.property(row, spans, (of, lanes) => {
			const { mintedSupply, totalSupply } = allOf({ ...of, mintedSupply: "0" }, lanes).figures;
			if (!of.isWalked && totalSupply.value !== null) expect(mintedSupply.value).toBeNull();
			if (of.isWalked) {
				expect(mintedSupply).toMatchObject({ value: 0, source: "walk", coverage: { fraction: 1 } });
			}
		}),
	);
});

test("owners are `not_counted` if the provider says zero, and `not_read` if the provider was not asked", () => {
	const spans = NO_SPANS;
	const untold = ownersFigure(BARE, { spans });
	expect(untold).toMatchObject({ value: null, reason: "not_read", source: null });
	const asked = ownersFigure({ ...BARE, providerSalesDay: 0 }, { spans });
	expect(asked).toMatchObject({ value: null, reason: "not_counted", source: "provider" });
});
