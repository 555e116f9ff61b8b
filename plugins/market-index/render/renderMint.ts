import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { nativeTotal } from "#plugins/market-index/apply/nativeTotal.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import type { CollectionDetail } from "#plugins/market-index/schemas/collectionDetailSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** How a collection's mint goes. Mints are paid in the chain's native currency. */
export function renderMint(
	chain: Chain,
	row: CollectionRow,
	nowMs: number,
): CollectionDetail["mint"] {
	return {
		active: lifecycleOfRow(row, nowMs).stored === "minting" && row.mints1h > 0,
		priceNative: displayNative(unitPrice(chain, row)),
		mints1h: row.mints1h,
		mintedSupply: Number(row.mintedSupply),
	};
}

function unitPrice(chain: Chain, row: CollectionRow): string | null {
	const { lastMintTotalRaw, lastMintQuantity } = row;
	if (lastMintTotalRaw === null || lastMintQuantity === null) return null;
	const total = nativeTotal(chain, ZERO_ADDRESS, BigInt(lastMintTotalRaw));
	return total === null ? null : (total / BigInt(lastMintQuantity)).toString();
}
