import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { nativeTotal } from "#plugins/market-index/apply/nativeTotal.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import type { CollectionDetail } from "#plugins/market-index/schemas/collectionDetailSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** How a collection's mint goes. Mints are paid in the chain's native currency. */
export function renderMint(
	chain: Chain,
	row: CollectionRow,
	{ nowMs, prices }: { nowMs: number; prices: Pick<Prices, "toNative"> },
): CollectionDetail["mint"] {
	return {
		active: lifecycleOfRow(row, nowMs).stored === "minting" && row.mints1h > 0,
		priceNative: displayNative(unitPrice(chain, row, prices)),
		mints1h: row.mints1h,
		mintedSupply: Number(row.mintedSupply),
	};
}

function unitPrice(
	chain: Chain,
	row: CollectionRow,
	prices: Pick<Prices, "toNative">,
): string | null {
	const { lastMintTotalRaw, lastMintQuantity, lastMintAt } = row;
	if (lastMintTotalRaw === null || lastMintQuantity === null || !lastMintAt) return null;
	const paid = {
		currency: ZERO_ADDRESS,
		totalRaw: BigInt(lastMintTotalRaw),
		occurredAtMs: lastMintAt.getTime(),
	};
	const total = nativeTotal(chain, paid, prices);
	return total === null ? null : (total / BigInt(lastMintQuantity)).toString();
}
