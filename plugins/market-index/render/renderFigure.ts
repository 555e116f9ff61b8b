import { renderCoverage } from "#plugins/market-index/figures/renderCoverage.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figureSchema.ts";

/** Renders a figure for clients; `wei` is the exact integer behind an amount of ETH. */
export function renderFigure(
	figure: Figure,
	shown: { unit: ShownFigure["unit"]; wei?: string | null },
): ShownFigure {
	const { value, source, window, asOfMs, coverage, reason } = figure;
	return {
		value,
		valueRaw: value === null ? null : (shown.wei ?? null),
		unit: shown.unit,
		source,
		window,
		asOf: asOfMs === null ? null : new Date(asOfMs).toISOString(),
		coverage: coverage && renderCoverage(coverage),
		reason,
	};
}
