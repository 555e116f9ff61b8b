import type {
	Coverage,
	Figure,
	FigureSource,
	FigureWindow,
	UnknownReason,
} from "#plugins/market-index/rollup/Figure.ts";

/** What is known of a figure before it is decided whether it is a number or unknown. */
export type Known = {
	/** The value as counted or told; null where there is none. */
	value: number | null;
	/** Why there is none, where that is known. */
	absent?: UnknownReason;
	source: FigureSource | null;
	/** The time it is for. Left out: the end of its coverage. */
	asOfMs?: number | null | undefined;
	window?: FigureWindow | null;
	/**
	 * The covered part; null where nothing is covered. Left out for a number that a source told as a
	 * whole.
	 */
	coverage?: Coverage | null;
	/** True where zero is a count. Otherwise zero means not counted yet. */
	isCounted?: boolean;
	/** Why a zero is not believed, whatever its source; null where nothing contradicts it. */
	doubt?: "no_price" | "contradicted" | null;
	/** True for a change, which may be below zero. */
	isSigned?: boolean;
};

/** The least time that counts as covered: windows are made of whole minutes. */
const COVERED_LEAST_MS = 60_000;

/** The coverage of a number whose completeness is unknown: the number is a lower bound. */
const SOME: Coverage = { fromMs: null, untilMs: null, fraction: 0 };

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
