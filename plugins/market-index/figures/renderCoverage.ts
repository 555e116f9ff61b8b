import type { Coverage } from "#plugins/market-index/rollup/Figure.ts";
import type { ShownCoverage } from "#plugins/market-index/schemas/coverageSchema.ts";

/** Renders a coverage for clients. */
export function renderCoverage({ fromMs, untilMs, fraction }: Coverage): ShownCoverage {
	return { from: timeOf(fromMs), until: timeOf(untilMs), fraction };
}

function timeOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}
