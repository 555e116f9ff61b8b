import type { WINDOW_MS } from "#plugins/market-index/rollup/windowOf.ts";

/**
 * The source of a figure: `chain`: read by lanes, or answered by a contract; `provider`: told by
 * the marketplace provider; `walk`: from the scan of all of a contract's transfers.
 */
export const FIGURE_SOURCES = ["chain", "provider", "walk"] as const;
export type FigureSource = (typeof FIGURE_SOURCES)[number];

/**
 * Why a figure is null. `not_read`: no source has told it. `not_covered`: nothing of its window was
 * read. `not_counted`: its source says zero, which means not counted yet. `no_price`: there were
 * sales, or a mint, without a known price. `contradicted`: zero was counted, but another source
 * knows of some. `nothing`: there is nothing to compute it from: no sales have no average.
 */
export const UNKNOWN_REASONS = [
	"not_read",
	"not_covered",
	"not_counted",
	"no_price",
	"contradicted",
	"nothing",
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

export type FigureWindow = keyof typeof WINDOW_MS;

/** A stretch of time for which a source has everything. */
export type Span = { fromMs: number; untilMs: number };

/** How much of a figure's window was read. */
export type Coverage = {
	/** Null where its start is not known. */
	fromMs: number | null;
	untilMs: number | null;
	/** From 0 to 1, and 1 only where nothing is missing; null where the whole is not known. */
	fraction: number | null;
};

export type Figure = {
	/** Null where it is unknown; then `reason` says why. */
	value: number | null;
	reason: UnknownReason | null;
	source: FigureSource | null;
	/** The length of the time that the figure sums over; null for a state, and for all time. */
	window: FigureWindow | null;
	/** The time it is for; null where it is unknown, and where it was not recorded. */
	asOfMs: number | null;
	/** Null for a figure that its source told as one number, and where the figure is unknown. */
	coverage: Coverage | null;
};
