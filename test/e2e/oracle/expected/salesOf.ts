import type { Expected } from "#test/e2e/oracle/differences.ts";
import { figureOf, type Tally } from "#test/e2e/oracle/expected/checkFigure.ts";
import { priceOf, timeOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { type Figure, UNKNOWN } from "#test/e2e/oracle/expected/Figure.ts";
import { figuresOf } from "#test/e2e/oracle/expected/figuresOf.ts";
import { factsSince, windowStart } from "#test/e2e/oracle/expected/windowFigures.ts";
import { dollarsOf, ether, unitWorthOf, worthOf } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

const DAY_MS = 86_400_000;
const label = notAFigure("words for people");

/** Returns a sale as a point of the chart. */
export function pointOf(sale: Fact, rank: number | null): Record<string, Expected> {
	return {
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

/** Returns prices of a unit in wei, the lowest first. */
function pricesOf(view: View, nowMs: number): bigint[] {
	const day = factsSince(view.known, "sale", windowStart(nowMs, "24h"));
	return day.flatMap((sale) => unitWorthOf(sale) ?? []).sort((a, b) => (a < b ? -1 : 1));
}

function medianOf(prices: readonly bigint[]): bigint | null {
	const low = prices[(prices.length - 1) >> 1];
	const high = prices[prices.length >> 1];
	return low === undefined || high === undefined ? null : (low + high) / 2n;
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

function listedPercentOf(figures: Record<string, Figure>): Figure {
	const listed = figures["listedCount"]?.value ?? null;
	const supply = figures["totalSupply"]?.value ?? null;
	const value = listed === null || supply === null || supply === 0 ? null : (100 * listed) / supply;
	const reasons = ["not_read", "nothing", "not_counted"];
	return { ...UNKNOWN, unit: "percent", value, sources: ["provider", "walk", "chain"], reasons };
}
