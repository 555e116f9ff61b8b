import type {
	Coverage,
	Figure,
	FigureSource,
	FigureWindow,
	UnknownReason,
} from "#plugins/market-index/rollup/Figure.ts";

/** What is known of a figure before it is decided whether it is one. */
export type Known = {
	/** As it was counted or told; null where nobody did. */
	value: number | null;
	/** Why there is none, where that is known. */
	absent?: UnknownReason;
	source: FigureSource | null;
	/** The time it stands for. Left out: the end of its coverage. */
	asOfMs?: number | null | undefined;
	window?: FigureWindow | null;
	/**
	 * The part that was looked at; null where that is nothing. Left out for a number that a source
	 * told as a whole.
	 */
	coverage?: Coverage | null;
	/** True where zero is a count. Otherwise it is what a source says before it has counted. */
	isCounted?: boolean;
	/** Why a zero is not believed, whoever counted it; null where nothing speaks against it. */
	doubt?: "no_price" | "contradicted" | null;
	/** True for a change, which may be below zero. */
	isSigned?: boolean;
};

/** The least time that counts as looked at: windows are made of whole minutes. */
const COVERED_LEAST_MS = 60_000;

/** The coverage of a number of which nobody knows how complete it is: it is at least this much. */
const SOME: Coverage = { fromMs: null, untilMs: null, fraction: 0 };

/**
 * Decides whether a figure is a number or unknown. The one place that does.
 *
 * What was counted and is more than zero is a number, with its coverage where that is not the
 * whole. A zero is a number only where somebody has looked: what nobody looked at, what was not
 * counted yet, and what another source contradicts is unknown.
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
	// -0 is no number that anybody should see.
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
