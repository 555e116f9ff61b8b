import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { nativeTotal } from "#plugins/market-index/rollup/nativeTotal.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/**
 * Returns the price of a unit at a collection's last mint, in wei of ETH at the rate of its time;
 * null where unknown. Some mints that only the provider tells are paid in a token.
 */
export function mintPriceWei(
	chain: Chain,
	row: Pick<
		CollectionRow,
		"lastMintTotalRaw" | "lastMintQuantity" | "lastMintCurrency" | "lastMintAt"
	>,
	prices: Pick<Prices, "toNative">,
): string | null {
	const { lastMintTotalRaw, lastMintQuantity, lastMintAt } = row;
	if (lastMintTotalRaw === null || lastMintQuantity === null || !lastMintAt) return null;
	const paid = {
		currency: row.lastMintCurrency ?? ZERO_ADDRESS,
		totalRaw: BigInt(lastMintTotalRaw),
		occurredAtMs: lastMintAt.getTime(),
	};
	const total = nativeTotal(chain, paid, prices);
	return total === null ? null : (total / BigInt(lastMintQuantity)).toString();
}
