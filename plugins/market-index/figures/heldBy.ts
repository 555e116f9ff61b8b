import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import type { CoveredBy } from "#plugins/market-index/figures/coverageOf.ts";
import type { Span } from "#plugins/market-index/rollup/Figure.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEventSpans.ts";

/**
 * Returns which sources have a collection's events of a kind, and for what time. Only the provider
 * tells of transfers.
 */
export function heldBy(
	row: ProviderEvents,
	spans: ChainSpans,
	kind: "sales" | "mints" | "transfers",
): CoveredBy[] {
	return [
		{ source: "chain", span: kind === "transfers" ? null : spans[kind] },
		{ source: "provider", span: spanOf(row.eventsFrom, row.eventsUntil) },
		{ source: "provider", span: spanOf(row.walkFrom, row.walkUntil) },
	];
}

function spanOf(from: Date | null, until: Date | null): Span | null {
	return from && until && { fromMs: from.getTime(), untilMs: until.getTime() };
}
