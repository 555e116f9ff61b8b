import { MINUTE_MS } from "#core/time/units.ts";
import type { Coverage, FigureSource, Span } from "#plugins/market-index/rollup/Figure.ts";

/**
 * A window that ended this short a time ago is whole: clients show an answer of that age as fresh.
 */
const FRESH_MS = 60_000;

export type CoveredBy = { source: FigureSource; span: Span | null };

/**
 * Returns how much of a window its sources cover together, and which of them covers most of it;
 * null where none covers any of it. What a source covers before the window does not count.
 *
 * Spans that touch are one. Of several stretches the longest is stated, of equal ones the newest;
 * if two sources cover as much, the first one is named.
 */
export function coverageOf(
	window: { startMs: number; nowMs: number },
	sources: readonly CoveredBy[],
): { source: FigureSource; coverage: Coverage } | null {
	const { startMs, nowMs } = window;
	const parts = sources.flatMap(({ source, span }) => {
		if (!span) return [];
		const fromMs = Math.max(span.fromMs, startMs);
		const untilMs = Math.min(span.untilMs, nowMs);
		return untilMs > fromMs ? [{ source, fromMs, untilMs }] : [];
	});
	const [only, ...others] = parts;
	if (!only) return null;
	if (others.length === 0) return { source: only.source, coverage: shareOf(only, window) };
	const [first] = [...parts].sort((a, b) => lengthOf(b) - lengthOf(a));
	const [longest] = stretchesOf(parts).sort((a, b) => lengthOf(b) - lengthOf(a));
	return first && longest ? { source: first.source, coverage: shareOf(longest, window) } : null;
}

function shareOf(
	{ fromMs, untilMs }: Span,
	{ startMs, nowMs }: { startMs: number; nowMs: number },
): Coverage {
	// A window begins up to a minute before its nominal start.
	const isWhole = fromMs <= startMs + MINUTE_MS && untilMs >= nowMs - FRESH_MS;
	const fraction = isWhole ? 1 : roundedDown((untilMs - fromMs) / (nowMs - startMs));
	return { fromMs, untilMs, fraction };
}

/** Returns joined stretches, the newest first. */
function stretchesOf(parts: readonly Span[]): Span[] {
	const stretches: Span[] = [];
	for (const { fromMs, untilMs } of [...parts].sort((a, b) => b.untilMs - a.untilMs)) {
		const above = stretches.at(-1);
		if (above && untilMs >= above.fromMs) above.fromMs = Math.min(above.fromMs, fromMs);
		else stretches.push({ fromMs, untilMs });
	}
	return stretches;
}

/** Rounds down to four digits, and below 1: a part never looks whole. */
export function roundedDown(share: number): number {
	return Math.min(Math.floor(share * 10_000) / 10_000, 0.9999);
}

function lengthOf({ fromMs, untilMs }: Span): number {
	return untilMs - fromMs;
}
