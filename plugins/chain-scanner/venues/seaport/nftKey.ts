import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";

/**
 * Returns the key by which Seaport compares NFTs: an offer meets a demand only within one item
 * type.
 */
export function nftKey(item: OfferedItem): string {
	return `${item.itemType}:${item.token}:${item.identifier}`;
}
