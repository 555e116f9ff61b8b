import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { WEI_PAID_MAX } from "#plugins/market-index/rollup/limits.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** A payment: amount, currency, and time. */
export type Paid = { currency: Address | null; totalRaw: bigint | null; occurredAtMs: number };

/**
 * Returns an amount as an ETH equivalent, in wei. ETH and its wrapped form on a chain whose native
 * currency is ETH need no rate; any other currency is valued at the rate of its own time, and is
 * unknown while there is none: never guessed. An amount worth more than all ETH is unknown too.
 */
export function nativeTotal(
	chain: Chain,
	{ currency, totalRaw, occurredAtMs }: Paid,
	prices: Pick<Prices, "toNative">,
): bigint | null {
	if (totalRaw === null || currency === null) return null;
	// Zero is zero in any currency.
	if (totalRaw === 0n) return 0n;
	const isNative = currency === ZERO_ADDRESS || currency === chain.wrappedNative;
	if (isNative && chain.nativeIsEth) return totalRaw;
	const total = prices.toNative({ chainId: chain.id, currency }, totalRaw, occurredAtMs);
	return total !== null && total > WEI_PAID_MAX ? null : total;
}
