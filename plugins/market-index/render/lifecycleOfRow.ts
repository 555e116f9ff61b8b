import type { Lifecycle } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { lifecycleOf } from "#plugins/market-index/lifecycle/lifecycleOf.ts";
import { presentedLifecycle } from "#plugins/market-index/lifecycle/presentedLifecycle.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** A collection's lifecycle now: as its facts say, and as clients see it. */
export function lifecycleOfRow(
	row: CollectionRow,
	nowMs: number,
): { stored: Lifecycle; presented: Lifecycle } {
	const lastMintAtMs = row.lastMintAt?.getTime() ?? null;
	const stored = lifecycleOf(
		{
			mintedUnits: BigInt(row.mintedUnits),
			maxSupply: row.maxSupply === null ? null : BigInt(row.maxSupply),
			firstMintAtMs: row.firstMintAt?.getTime() ?? null,
			lastMintAtMs,
			sales: row.sales,
			isTraded: row.isTraded,
		},
		nowMs,
	);
	return { stored, presented: presentedLifecycle(stored, lastMintAtMs, nowMs) };
}
