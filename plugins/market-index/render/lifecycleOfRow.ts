import type { Lifecycle } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { lifecycleOf } from "#plugins/market-index/lifecycle/lifecycleOf.ts";
import { presentedLifecycle } from "#plugins/market-index/lifecycle/presentedLifecycle.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

type LifecycleColumns = Pick<
	CollectionRow,
	"mintedUnits" | "maxSupply" | "firstMintAt" | "lastMintAt" | "sales" | "isTraded" | "isAnnounced"
>;

/** Returns a collection's present lifecycle: by its facts, and as clients see it. */
export function lifecycleOfRow(
	row: LifecycleColumns,
	nowMs: number,
): { stored: Lifecycle | null; presented: Lifecycle | null } {
	const lastMintAtMs = row.lastMintAt?.getTime() ?? null;
	const stored = lifecycleOf(
		{
			mintedUnits: BigInt(row.mintedUnits),
			maxSupply: row.maxSupply === null ? null : BigInt(row.maxSupply),
			firstMintAtMs: row.firstMintAt?.getTime() ?? null,
			lastMintAtMs,
			sales: row.sales,
			isTraded: row.isTraded,
			isAnnounced: row.isAnnounced,
		},
		nowMs,
	);
	return { stored, presented: presentedLifecycle(stored, lastMintAtMs, nowMs) };
}
