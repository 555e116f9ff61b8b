// Calculates the expected candles, tiles and rows of lists.

import { type Expected, isNear, notAFigure } from "#test/e2e/oracle/differences.ts";
import {
	collectionOf,
	lastOf,
	priceOf,
	timeOf,
	volumeCurrency,
} from "#test/e2e/oracle/expected/collectionOf.ts";
import {
	figureOf,
	figuresOf,
	numberOf,
	partialOf,
	rawOf,
	type Tally,
} from "#test/e2e/oracle/expected/figuresOf.ts";
import {
	dollarsOf,
	ether,
	type Figure,
	factsSince,
	UNKNOWN,
	unitWorthOf,
	type Window,
	windowFigures,
	windowStart,
	worthOf,
} from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, View } from "#test/e2e/oracle/model.ts";

const MINUTE_MS = 60_000;
export const INTERVALS = {
	"1m": 1,
	"15m": 15,
	"30m": 30,
	"1h": 60,
	"4h": 240,
	"1d": 1_440,
} as const;

const name = notAFigure("what it is called, and how it looks");
const state = notAFigure("a state");

const DAY_MS = 86_400_000;
const label = notAFigure("words for people");

/**
 * Returns the candles of accepted sales with a known price, newest last; empty intervals are left
 * out.
 */
export function candlesOf(known: readonly Fact[], interval: keyof typeof INTERVALS): Expected[] {
	const lengthMs = INTERVALS[interval] * MINUTE_MS;
	const sales = known.filter(({ kind, accepted }) => kind === "sale" && accepted);
	const buckets = Map.groupBy(sales, ({ atMs }) => Math.floor(atMs / lengthMs) * lengthMs);
	return [...buckets]
		.sort(([a], [b]) => a - b)
		.flatMap(([atMs, all]) =>
			all.some((sale) => worthOf(sale) !== null) ? [candleOf(atMs, all)] : [],
		);
}

/** Returns a row of trending. */
export function trendingRowOf(view: View, nowMs: number, window: Window): Expected {
	const { sales, volume } = windowFigures(view, nowMs, window);
	const [floor, owners, listed] = pick(view, nowMs, ["floorNative", "ownersCount", "listedCount"]);
	return {
		slug: name,
		chain: view.chain,
		contractAddress: view.address,
		name,
		imageUrl: name,
		lifecycle: collectionOf(view, nowMs)["lifecycle"] ?? state,
		soldOut: state,
		lastMintAt: timeOf(lastOf(view.known, "mint")),
		holders: numberOf(owners),
		listed: numberOf(listed),
		volumeNative: numberOf(volume),
		volumeRaw: rawOf(volume),
		volumeCurrency,
		floorNative: numberOf(floor),
		sales: numberOf(sales),
		coverage: partialOf({ sales, volumeNative: volume, holders: owners }),
	};
}

/** Returns a row of discover, and of its stream. */
export function discoverRowOf(view: View, nowMs: number): Expected {
	const [floor, volume, sales, change, mints1h] = pick(view, nowMs, [
		"floorNative",
		"volume24hNative",
		"sales24h",
		"floorChange24hPercent",
		"mints1h",
	]);
	return {
		slug: name,
		chain: view.chain,
		name,
		imageUrl: name,
		floorNative: numberOf(floor),
		volume24hNative: numberOf(volume),
		volumeRaw: rawOf(volume),
		volumeCurrency,
		sales24h: numberOf(sales),
		floorChange24hPercent: numberOf(change),
		mints1h: numberOf(mints1h),
		lastMintAt: timeOf(lastOf(view.known, "mint")),
		revealState: state,
		lifecycle: collectionOf(view, nowMs)["lifecycle"] ?? state,
		coverage: partialOf({ sales24h: sales, volume24hNative: volume, mints1h }),
	};
}

/** Returns a hit of a search in the index. */
export function hitOf(view: View, nowMs: number): Expected {
	const [floor, volume, sales, owners] = pick(view, nowMs, [
		"floorNative",
		"volume24hNative",
		"sales24h",
		"ownersCount",
	]);
	return {
		slug: name,
		chain: view.chain,
		contractAddress: view.address,
		name,
		imageUrl: name,
		floorNative: numberOf(floor),
		volume24hNative: numberOf(volume),
		volumeRaw: rawOf(volume),
		volumeCurrency,
		sales24h: numberOf(sales),
		ownersCount: numberOf(owners),
		coverage: partialOf({ sales24h: sales, volume24hNative: volume, ownersCount: owners }),
		source: "svc_index",
	};
}

/** Returns a sale as a point of the chart. */
export function pointOf(
	{ chain, address }: Pick<View, "chain" | "address">,
	sale: Fact,
	rank: number | null,
): Record<string, Expected> {
	return {
		...{ chain, contractAddress: address, slug: label, explorerUrl: label },
		tokenId: sale.tokenId,
		imageUrl: label,
		rank,
		priceNative: priceOf(sale),
		priceUsd: dollarsOf(sale),
		traits: label,
		occurredAt: timeOf(sale),
		transactionHash: sale.transaction,
		venue: label,
		buyer: sale.to,
		seller: sale.from,
	};
}

/** Returns the 13 tiles of a collection, in their order. */
export function tilesOf(view: View, nowMs: number, tally: Tally): Expected {
	const figures = figuresOf(view, nowMs);
	const prices = pricesOf(view, nowMs);
	const price = (name: string, raw: bigint | null): [string, Figure | undefined] => {
		const volume = figures["volume24hNative"];
		if (!volume) throw new Error("a figure is missing");
		const none =
			volume.value === null ? volume.reasons : ["nothing", "no_price", ...volume.reasons];
		const reasons = raw === null ? none : [];
		return [
			name,
			{ ...volume, value: raw === null ? null : ether(raw), raw, reasons, mayBeNull: false },
		];
	};
	const day = factsSince(view.known, "sale", windowStart(nowMs, "24h"));
	const priced = day.filter((sale) => worthOf(sale) !== null);
	const sum = priced.reduce((all, sale) => all + (worthOf(sale) ?? 0n), 0n);
	const count = priced.reduce((all, { quantity }) => all + quantity, 0n);
	const tiles: [string, Figure | undefined][] = [
		["floor", figures["floorNative"]],
		["floorChange24h", figures["floorChange24hPercent"]],
		["volume24h", figures["volume24hNative"]],
		["volumeChange24h", volumeChangeOf(view, nowMs)],
		["sales24h", figures["sales24h"]],
		price("averagePrice24h", count === 0n ? null : sum / count),
		price("medianPrice24h", medianOf(prices)),
		price("highestSale24h", prices.at(-1) ?? null),
		price("lowestSale24h", prices[0] ?? null),
		["owners", figures["ownersCount"]],
		["listed", figures["listedCount"]],
		["listedPercent", listedPercentOf(figures)],
		["supply", figures["totalSupply"]],
	];
	return tiles.map(([key, figure]): Expected => {
		if (!figure) throw new Error(`${key} is missing`);
		return { key, label, ...figureOf(figure, key, tally) };
	});
}

function candleOf(atMs: number, sales: readonly Fact[]): Expected {
	const priced = sales.filter((sale) => worthOf(sale) !== null);
	const units = priced.map((sale) => ether(unitWorthOf(sale) ?? 0n));
	const volume = sales.reduce((sum, sale) => sum + (worthOf(sale) ?? 0n), 0n);
	return {
		openTime: new Date(atMs).toISOString(),
		open: oneOf(priced, priced[0]),
		high: Math.max(...units),
		low: Math.min(...units),
		close: oneOf(priced, priced.at(-1)),
		volumeNative: ether(volume),
		volumeRaw: volume.toString(),
		volumeCurrency,
		sales: sales.length,
	};
}

/**
 * Returns the price of this sale, or of one about as old: the position of an event within its
 * minute is an estimate where only the provider told of it.
 */
function oneOf(sales: readonly Fact[], sale: Fact | undefined): Expected {
	if (!sale) return null;
	const alike = sales.filter(({ atMs, block }) => {
		const isNear = Math.abs(atMs - sale.atMs) <= 2 * MINUTE_MS;
		return atMs === sale.atMs || (isNear && (block === null || sale.block === null));
	});
	const units = [...new Set([sale, ...alike])].map((one) => ether(unitWorthOf(one) ?? 0n));
	return (actual) => {
		return units.some((unit) => isNear(actual, unit)) ? undefined : `${actual}, and not ${units}`;
	};
}

function pick<const Names extends readonly string[]>(
	view: View,
	nowMs: number,
	names: Names,
): { [At in keyof Names]: Figure } {
	const figures = figuresOf(view, nowMs);
	return names.map((one) => {
		const figure = figures[one];
		if (!figure) throw new Error(`there is no figure ${one}`);
		return figure;
	}) as never;
}

/** Returns prices of a unit in wei, the lowest first. */
function pricesOf(view: View, nowMs: number): bigint[] {
	const day = factsSince(view.known, "sale", windowStart(nowMs, "24h"));
	return day.flatMap((sale) => unitWorthOf(sale) ?? []).sort((a, b) => (a < b ? -1 : 1));
}

/**
 * Returns the change against the day before; unknown without sales on that day. Its coverage is of
 * time: which sales have a price is stated with the volume.
 */
function volumeChangeOf(view: View, nowMs: number): Figure {
	const startMs = windowStart(nowMs, "24h");
	const sales = factsSince(view.known, "sale", startMs - DAY_MS);
	const sum = (of: readonly Fact[]) => of.reduce((all, sale) => all + (worthOf(sale) ?? 0n), 0n);
	const before = sum(sales.filter(({ atMs }) => atMs < startMs));
	const day = sales.filter(({ atMs }) => atMs >= startMs);
	const isPriced = day.length === 0 || day.some((sale) => worthOf(sale) !== null);
	const figure = {
		...UNKNOWN,
		unit: "percent" as const,
		window: "24h",
		sources: ["chain", "provider"],
	};
	if (before === 0n || !isPriced) {
		return { ...figure, reasons: ["nothing", "not_covered", "no_price", "contradicted"] };
	}
	const change = (Number(sum(day) - before) / Number(before)) * 100;
	const fromMs = startMs - DAY_MS;
	const truth = factsSince(view.truth, "sale", fromMs);
	const { lanesFromMs } = view;
	const span = { startMs: fromMs, endMs: nowMs, known: sales, truth, priced: 1, lanesFromMs };
	return { ...figure, value: change, reasons: [], span };
}

function medianOf(prices: readonly bigint[]): bigint | null {
	const low = prices[(prices.length - 1) >> 1];
	const high = prices[prices.length >> 1];
	return low === undefined || high === undefined ? null : (low + high) / 2n;
}

function listedPercentOf(figures: Record<string, Figure>): Figure {
	const listed = figures["listedCount"]?.value ?? null;
	const supply = figures["totalSupply"]?.value ?? null;
	const value = listed === null || supply === null || supply === 0 ? null : (100 * listed) / supply;
	const reasons = ["not_read", "nothing", "not_counted"];
	return { ...UNKNOWN, unit: "percent", value, sources: ["provider", "walk", "chain"], reasons };
}
