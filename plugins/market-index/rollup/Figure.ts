import type { WINDOW_MS } from "#plugins/market-index/rollup/windowOf.ts";

/**
 * Who a figure comes from: `chain`: what lanes read, or a contract answered; `provider`: what the
 * marketplace provider told; `walk`: the scan of all of a contract's transfers.
 */
export const FIGURE_SOURCES = ["chain", "provider", "walk"] as const;
export type FigureSource = (typeof FIGURE_SOURCES)[number];

/**
 * Why a figure is null. `not_read`: nobody has told it. `not_covered`: nothing of its window was
 * looked at. `not_counted`: its source says zero, which is what it says before it has counted.
 * `no_price`: there were sales, or there was a mint, and no price of theirs is known.
 * `contradicted`: zero was counted, and another source knows of some. `nothing`: there was nothing
 * to make it of: no sales have no average.
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

/** A stretch of time of which a source holds everything. */
export type Span = { fromMs: number; untilMs: number };

/** How much of a figure was looked at. */
export type Coverage = {
	/** Null where it is not known from when. */
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
	/** The time it stands for; null where it is unknown, and where nobody noted it. */
	asOfMs: number | null;
	/** Null for a figure that its source told as one number, and where the figure is unknown. */
	coverage: Coverage | null;
};
