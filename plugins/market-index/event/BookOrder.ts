import type { Address, Hex } from "#core/chain/Hex.ts";

/** How the table `market_order` numbers its kinds. */
export const ORDER_KINDS = ["listing", "item_offer", "collection_offer", "trait_offer"] as const;

export type OrderKind = (typeof ORDER_KINDS)[number];

/** A listing or an offer as it is stored. */
export type BookOrder = {
	orderHash: Hex;
	kind: OrderKind;
	tokenId: string | null;
	maker: Address;
	quantity: string;
	currency: Address | null;
	symbol: string;
	decimals: number;
	totalRaw: string;
	/** The price of one unit in wei of ETH; null where the currency has no exchange rate. */
	unitNative: string | null;
	protocolAddress: Address | null;
	criteria: { type: string; value: string }[];
	isPrivate: boolean;
	startsAt: Date | null;
	expiresAt: Date | null;
	seenAt: Date;
};
