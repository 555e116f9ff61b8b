import type { Address, Hex } from "#core/chain/Hex.ts";
import type { BuyRequest } from "#plugins/nft-buys/model.ts";

/** The kind of an intent that buys, for plugins that buy on a user's behalf. */
export const NFT_BUY = "nft_buy";

/**
 * Asks for one unit of a token from exactly this listing, for at most this much of the chain's
 * coin.
 */
export type WantedBuy = {
	contract: Address;
	tokenId: string;
	orderHash: Hex;
	priceLimitRaw: bigint;
	/** The least tip per gas, in base units; null: what nodes ask for. */
	tipRaw: bigint | null;
};

/**
 * Returns the request of a buy, as `NewIntent.request` takes it. On the channel `snipe` the
 * provider is asked again if it does not answer; on all others once.
 */
export function buyRequestOf({ priceLimitRaw, tipRaw, ...wanted }: WantedBuy): BuyRequest {
	const tip = tipRaw === null ? {} : { tipRaw: String(tipRaw) };
	return { ...wanted, ...tip, quantity: "1", priceLimitRaw: String(priceLimitRaw) };
}
