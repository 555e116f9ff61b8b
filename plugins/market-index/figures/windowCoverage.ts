import { MINUTE_MS } from "#core/time/units.ts";
import { coverageOf } from "#plugins/market-index/figures/coverageOf.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { heldBy } from "#plugins/market-index/figures/heldBy.ts";
import { bucketOf } from "#plugins/market-index/rollup/bucketOf.ts";
import type { FigureWindow } from "#plugins/market-index/rollup/Figure.ts";
import { WINDOW_MS } from "#plugins/market-index/rollup/windowOf.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEventSpans.ts";

/**
 * Returns how much of the window that ends now is covered for a collection's events: by the chain's
 * lanes, which see every contract, and by the part of the provider's list that was read. Null where
 * nothing is.
 */
export function windowCoverage(
	row: ProviderEvents,
	{ nowMs, spans }: Pick<FigureContext, "nowMs" | "spans">,
	{ kind, window }: { kind: "sales" | "mints"; window: FigureWindow | "48h" },
) {
	const lengthMs = window === "48h" ? 2 * WINDOW_MS["24h"] : WINDOW_MS[window];
	const range = { startMs: bucketOf(nowMs - lengthMs, MINUTE_MS), nowMs };
	// Mostly the lanes cover all of it, and no other source is needed.
	const chain = coverageOf(range, [{ source: "chain", span: spans[kind] }]);
	if (chain?.coverage.fraction === 1) return { ...chain, isChainWhole: true };
	const covered = coverageOf(range, heldBy(row, spans, kind));
	return {
		source: covered?.source ?? null,
		coverage: covered?.coverage ?? null,
		isChainWhole: false,
	};
}
