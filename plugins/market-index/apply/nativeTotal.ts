import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";

/**
 * An amount as an ETH equivalent, in wei. ETH and its wrapped form on a chain whose native
 * currency is ETH need no rate; anything else is unknown until there is one, and never guessed.
 */
export function nativeTotal(
	chain: Chain,
	currency: Address | null,
	totalRaw: bigint | null,
): bigint | null {
	if (totalRaw === null || currency === null) return null;
	// Nothing is nothing in any currency.
	if (totalRaw === 0n) return 0n;
	if (!chain.nativeIsEth) return null;
	return currency === ZERO_ADDRESS || currency === chain.wrappedNative ? totalRaw : null;
}
