// Decides each figure of a collection: its source, or why it is unknown.

import { z } from "zod";
import { displayNative } from "#plugins/market-index/display.ts";
import {
	type FigureContext,
	roundedDown,
	walkCoverage,
	windowCoverage,
} from "#plugins/market-index/figures/coverage.ts";
import { floorChangePercent } from "#plugins/market-index/floor.ts";
import {
	type Coverage,
	type Figure,
	type FigureSource,
	type FigureWindow,
	type UnknownReason,
	WINDOW_MS,
	windowOf,
} from "#plugins/market-index/rollup/windows.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEvents.ts";
import type { PeriodSums } from "#plugins/market-index/sql/windowSums.ts";

/** Holds what is known of a figure before it is decided whether it is a number or unknown. */
export type Known = {
	/** The value as counted or reported; null where there is none. */
	value: number | null;
	/** The reason why there is no value, where that is known. */
	absent?: UnknownReason;
	source: FigureSource | null;
	/** The time it is for. Left out: the end of its coverage. */
	asOfMs?: number | null | undefined;
	window?: FigureWindow | null;
	/**
	 * The covered part; null where nothing is covered. Left out for a number that a source reported
	 * as a whole.
	 */
	coverage?: Coverage | null;
	/** True where zero is a count. Otherwise zero means not counted yet. */
	isCounted?: boolean;
	/**
	 * The reason why a zero is not believed, whatever its source; null where nothing contradicts it.
	 */
	doubt?: "no_price" | "contradicted" | null;
	/** True for a change, which may be below zero. */
	isSigned?: boolean;
};

/** Holds the sales that the provider's stats count for the last day, with their time. */
type ProviderDay = Pick<CollectionRow, "providerSalesDay" | "providerStatsAt">;

type MintedRow = Pick<
	CollectionRow,
	"mintedSupply" | "isWalked" | "totalSupply" | "supplySource" | "supplyAt"
>;

type OwnedRow = Pick<
	CollectionRow,
	"ownersCount" | "ownersSource" | "ownersAt" | "providerSalesDay"
>;

type TradedRow = ProviderEvents &
	ProviderDay &
	Pick<CollectionRow, "windowSales" | "windowPriced" | "windowVolume">;

/** The least time that counts as covered: windows are made of whole minutes. */
const COVERED_LEAST_MS = 60_000;

/** The coverage of a number whose completeness is unknown: the number is a lower bound. */
const SOME: Coverage = { fromMs: null, untilMs: null, fraction: 0 };

const DAY = "one_day";
const SALES_MAX = 1_000_000_000;

const statsSchema = z.object({
	intervals: z.array(
		z.object({ interval: z.unknown(), sales: z.unknown() }).partial().nullable().catch(null),
	),
});

/** Returns the change of the floor since a day ago, in percent. */
export function floorChangeFigure(
	row: Pick<CollectionRow, "floorNative" | "floorBefore" | "floorAt">,
): Figure {
	return decideFigure({
		value: floorChangePercent(row.floorNative, row.floorBefore),
		source: "provider",
		window: "24h",
		asOfMs: row.floorAt?.getTime() ?? null,
		isCounted: true,
		isSigned: true,
	});
}

/** Returns the floor. It is an ask, so only the provider reports it; zero means not counted yet. */
export function floorFigure(row: Pick<CollectionRow, "floorNative" | "floorAt">): Figure {
	const value = displayNative(row.floorNative);
	return decideFigure({ value, source: "provider", asOfMs: row.floorAt?.getTime() ?? null });
}

/**
 * Returns how many tokens any account may buy. Every listing was read for it, so zero is a count.
 */
export function listedFigure(row: Pick<CollectionRow, "listedCount" | "listedAt">): Figure {
	return decideFigure({
		value: row.listedCount,
		source: "provider",
		asOfMs: row.listedAt?.getTime() ?? null,
		isCounted: true,
	});
}

/**
 * Returns the price of a unit at the last mint, from its price in wei of ETH; zero is free. A
 * payment in a currency without a rate has no price.
 */
export function mintPriceFigure(
	wei: string | null,
	{ lastMintAt, lastMintTotalRaw }: Pick<CollectionRow, "lastMintAt" | "lastMintTotalRaw">,
): Figure {
	return decideFigure({
		value: displayNative(wei),
		absent: lastMintTotalRaw === null ? "not_read" : "no_price",
		source: "chain",
		asOfMs: lastMintAt?.getTime() ?? null,
		isCounted: true,
	});
}

/**
 * Returns the units ever minted: by a finished walk, else those that the index saw. The latter are
 * covered by their share of the supply. None seen is unknown where there is a supply, or where the
 * contract may be older than the blocks that lanes read.
 */
export function mintedFigure(row: MintedRow, { spans }: Pick<FigureContext, "spans">): Figure {
	const value = Number(row.mintedSupply);
	if (row.isWalked) {
		const coverage = walkCoverage(spans);
		return decideFigure({ value, source: "walk", coverage, isCounted: true });
	}
	const supply = supplyFigure(row, { spans }).value;
	const isContradicted = value === 0 && supply !== null;
	return decideFigure({
		value,
		source: "chain",
		coverage: seenOf(value, supply, spans.mints),
		isCounted: true,
		doubt: isContradicted ? "contradicted" : null,
	});
}

/**
 * Returns the units that exist: by a finished walk, else by the contract's answer, else by the
 * provider. Zero is believed of a walk alone: then all units were destroyed.
 */
export function supplyFigure(
	row: Pick<CollectionRow, "totalSupply" | "supplySource" | "supplyAt">,
	{ spans }: Pick<FigureContext, "spans">,
): Figure {
	const value = row.totalSupply === null ? null : Number(row.totalSupply);
	const isWalked = row.supplySource === "walk";
	const asOfMs = isWalked ? spans.movesUntilMs : (row.supplyAt?.getTime() ?? null);
	const partial = isWalked && spans.movesOwed ? { coverage: walkCoverage(spans) } : {};
	return decideFigure({
		...{ value, source: row.supplySource, asOfMs, isCounted: isWalked },
		...partial,
	});
}

/** Returns the mint events in the last hour. */
export function mintsFigure(
	row: ProviderEvents & Pick<CollectionRow, "mints1h">,
	context: Pick<FigureContext, "nowMs" | "spans">,
): Figure {
	const window = "1h" as const;
	const { source, coverage } = windowCoverage(row, context, { kind: "mints", window });
	return decideFigure({ value: row.mints1h, source, window, coverage, isCounted: true });
}

/**
 * Returns the owners: by a finished walk, else by the provider, else the recipients that the index
 * saw. The last are only a part: owners from before the lanes began are missing.
 */
export function ownersFigure(row: OwnedRow, { spans }: Pick<FigureContext, "spans">): Figure {
	const { ownersCount: value, ownersSource } = row;
	const atMs = row.ownersAt?.getTime() ?? null;
	if (ownersSource === "walk") {
		const coverage = walkCoverage(spans);
		return decideFigure({ value, source: "walk", coverage, isCounted: true });
	}
	if (ownersSource !== "recipients") {
		// Stats of this very contract were read (they count its sales), and have no owners yet.
		const absent = row.providerSalesDay === null ? "not_read" : "not_counted";
		return decideFigure({ value, absent, source: "provider", asOfMs: atMs });
	}
	const { sales, mints } = spans;
	const fromMs = sales && mints ? Math.max(sales.fromMs, mints.fromMs) : null;
	const coverage = { fromMs, untilMs: atMs, fraction: null };
	return decideFigure({ value, source: "chain", coverage });
}

/** Returns the exact integer behind an amount of ETH, in wei; null where the amount is unknown. */
export function rawOf(figure: Pick<Figure, "value">, wei: string | null): string | null {
	return figure.value === null ? null : wei;
}

/** Returns accepted sales in the row's window. Zero is unknown if the provider counts sales. */
export function salesFigure(
	row: ProviderEvents & ProviderDay & Pick<CollectionRow, "windowSales">,
	context: FigureContext,
): Figure {
	const { window } = context;
	const covered = windowCoverage(row, context, { kind: "sales", window });
	const { source, coverage, isChainWhole } = covered;
	const doubt = isContradicted(row, context, isChainWhole) ? "contradicted" : null;
	return decideFigure({ value: row.windowSales, source, window, coverage, isCounted: true, doubt });
}

/** Returns sales in the last day as the provider's stats count them; null where they do not say. */
export function salesOfDay(raw: unknown): number | null {
	const { data } = statsSchema.safeParse(raw);
	const day = data?.intervals.find((one) => one?.interval === DAY);
	const sales = day?.sales;
	const isCount = typeof sales === "number" && Number.isFinite(sales) && sales >= 0;
	return isCount ? Math.min(Math.floor(sales), SALES_MAX) : null;
}

/**
 * Returns the sum of the accepted sales of the row's window. Zero is unknown if there were sales,
 * by any source. Where only some sales have a price, the coverage is smaller by that share.
 */
export function volumeFigure(row: TradedRow, context: FigureContext): Figure {
	const { window } = context;
	const covered = windowCoverage(row, context, { kind: "sales", window });
	const isDenied = isContradicted(row, context, covered.isChainWhole);
	return decideFigure({
		value: displayNative(row.windowVolume),
		source: covered.source,
		window,
		coverage: covered.coverage && ofPriced(covered.coverage, row),
		isCounted: true,
		doubt: row.windowSales > 0 ? "no_price" : isDenied ? "contradicted" : null,
	});
}

/** Returns a part of a whole in percent, as old as the older of the two. */
export function shareFigure(part: Figure, whole: Figure): Figure {
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

/**
 * Returns the figures of a stretch of past time: its volume, sales, and prices of a unit. A zero is
 * one only where a source has read of that time.
 */
export function periodFigures(
	sums: PeriodSums,
	covered: { source: FigureSource; coverage: Coverage } | null,
): Record<"volume" | "sales" | "average" | "highest" | "lowest", Figure> {
	const { source = null, coverage = null } = covered ?? {};
	const row = { windowSales: sums.sales, windowPriced: sums.priced };
	const priced = coverage && ofPriced(coverage, row);
	const units = BigInt(sums.units);
	const average = units === 0n ? null : (BigInt(sums.volume) / units).toString();
	const price = (wei: string | null) => {
		const absent = coverage === null ? "not_covered" : sums.sales > 0 ? "no_price" : "nothing";
		const value = displayNative(wei);
		return decideFigure({ value, absent, source, coverage: priced, isCounted: true });
	};
	return {
		volume: decideFigure({
			value: displayNative(sums.volume),
			source,
			coverage: priced,
			isCounted: true,
			doubt: sums.sales > 0 ? "no_price" : null,
		}),
		sales: decideFigure({ value: sums.sales, source, coverage, isCounted: true }),
		average: price(average),
		highest: price(sums.high),
		lowest: price(sums.low),
	};
}

/**
 * Decides whether a figure is a number or unknown. The one place that does.
 *
 * A count above zero is a number, with its coverage where that is not the whole. A zero is a number
 * only where a source has looked: with nothing covered, not counted yet, or contradicted by another
 * source it is unknown.
 */
export function decideFigure(known: Known): Figure {
	const { value, source, window = null, coverage } = known;
	const reason = unknownReason(known);
	if (reason !== null) {
		const isNobodys = reason === "not_read" || reason === "not_covered";
		const teller = isNobodys ? null : source;
		return { value: null, reason, source: teller, window, asOfMs: null, coverage: null };
	}
	const shown = coverage === null ? SOME : (coverage ?? null);
	const asOfMs = known.asOfMs === undefined ? (shown?.untilMs ?? null) : known.asOfMs;
	// -0 is shown as 0.
	return { value: value === 0 ? 0 : value, reason, source, window, asOfMs, coverage: shown };
}

/**
 * Says whether the provider counts sales on a day on which we counted none. Always false for a day
 * that the chain's lanes read whole: then the chain is right.
 */
function isContradicted(
	{ providerSalesDay, providerStatsAt }: ProviderDay,
	{ nowMs, window }: Pick<FigureContext, "nowMs" | "window">,
	isChainWhole: boolean,
): boolean {
	if (window !== "24h" || isChainWhole || !providerSalesDay || !providerStatsAt) return false;
	// A count from before this day began says nothing about it.
	return providerStatsAt > windowOf(nowMs, WINDOW_MS[window]).start;
}

function seenOf(
	minted: number,
	supply: number | null,
	span: { fromMs: number; untilMs: number } | null,
): Coverage | null {
	if (!span) return null;
	const { fromMs, untilMs } = span;
	// From the chain's first block on: everything was seen.
	if (fromMs === 0) return { fromMs, untilMs, fraction: 1 };
	// Since when they have been read is not known, so zero seen mints mean unknown.
	if (minted === 0) return null;
	const fraction = supply === null ? null : roundedDown(minted / supply);
	return { fromMs, untilMs, fraction };
}

function ofPriced(
	coverage: Coverage,
	{ windowSales, windowPriced }: Pick<TradedRow, "windowSales" | "windowPriced">,
): Coverage {
	const { fraction } = coverage;
	if (fraction === null || windowPriced >= windowSales) return coverage;
	return { ...coverage, fraction: roundedDown((fraction * windowPriced) / windowSales) };
}

function unknownReason(known: Known): UnknownReason | null {
	const { value, coverage, isCounted = false, doubt = null, isSigned = false } = known;
	if (value === null || !Number.isFinite(value)) return known.absent ?? "not_read";
	if (value < 0 && !isSigned) return "not_read";
	if (value !== 0) return null;
	if (!isCounted) return "not_counted";
	if (coverage !== undefined && isNothing(coverage)) return "not_covered";
	return doubt;
}

function isNothing(coverage: Coverage | null): boolean {
	if (coverage === null) return true;
	const { fromMs, untilMs, fraction } = coverage;
	if (fraction === 1) return false;
	return fromMs === null || untilMs === null || untilMs - fromMs < COVERED_LEAST_MS;
}
