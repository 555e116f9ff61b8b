import type { Address, Hex } from "#core/chain/Hex.ts";
import { marketplaceOf } from "#plugins/nft-buys/seaport/marketplaceOf.ts";

export const NO_CONDUIT: Hex = `0x${"0".repeat(64)}`;
/** The provider's own conduit, and its key. */
const PROVIDER_KEY: Hex = "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000";
const PROVIDER_CONDUIT: Address = "0x1e0049783f008a0085193e00003d00cd54003c71";

/**
 * Returns the address that takes our ERC-20 for a conduit key: the marketplace itself without a
 * key. Null: an unknown conduit.
 */
export function spenderOf(conduitKey: Hex, chainId: number): Address | null {
	if (conduitKey === NO_CONDUIT) return marketplaceOf(chainId);
	return conduitKey === PROVIDER_KEY ? PROVIDER_CONDUIT : null;
}
