import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** What the provider's stats count for the last day, with their time. */
export type ProviderDay = Pick<CollectionRow, "providerSalesDay" | "providerStatsAt">;

/**
 * Says whether the provider counts sales on a day on which we counted none. Always false for a day
 * that the chain's lanes read whole: then the chain is right.
 */
export function isContradicted(
	{ providerSalesDay, providerStatsAt }: ProviderDay,
	{ nowMs, window }: Pick<FigureContext, "nowMs" | "window">,
	isChainWhole: boolean,
): boolean {
	if (window !== "24h" || isChainWhole || !providerSalesDay || !providerStatsAt) return false;
	// A count from before this day began says nothing about it.
	return providerStatsAt > windowOf(nowMs, WINDOW_MS[window]).start;
}
