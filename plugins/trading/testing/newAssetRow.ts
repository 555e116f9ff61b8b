import type { Address } from "#core/chain/Hex.ts";
import { skeletonOf } from "#plugins/trading/registry/createAssets.ts";
import type { AssetRow } from "#plugins/trading/sql/assets.ts";

const AT = new Date("2026-11-18T12:00:00Z");

/** Returns a row of an active stock token, with the members that the test overrides. */
export function newAssetRow(
	row: Partial<AssetRow> & { symbol: string; address: Address },
): AssetRow {
	return {
		...{ chainId: 4_663, kind: "stock", uid: `uid-${row.symbol}`, name: `${row.symbol} token` },
		...{ skeleton: skeletonOf(row.symbol), decimals: 18, status: "active", flaws: [] },
		...{ isListed: true, heldBy: null, feed: null, feedSetBy: null, multiplier: 10n ** 18n },
		...{ pendingMultiplier: null, pendingAt: null, checkedBlock: 7, checkedAt: AT },
		...{ firstSeenAt: AT, changedAt: AT, unlistedAt: null },
		...row,
	};
}
