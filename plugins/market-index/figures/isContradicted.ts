import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** What the provider's stats count of the last day, and when they were told. */
export type ProviderDay = Pick<CollectionRow, "providerSalesDay" | "providerStatsAt">;

/**
 * Tells whether the provider counts sales on a day on which we counted none. Always false for a
 * day that the chain's lanes read whole: then the chain knows better.
 */
export function isContradicted(
	{ providerSalesDay, providerStatsAt }: ProviderDay,
	{ nowMs, window }: Pick<FigureContext, "nowMs" | "window">,
	isChainWhole: boolean,
): boolean {
	if (window !== "24h" || isChainWhole || !providerSalesDay || !providerStatsAt) return false;
	// What the provider counted before this day began says nothing of it.
	return providerStatsAt > windowOf(nowMs, WINDOW_MS[window]).start;
}
