import type { Address } from "#core/chain/Hex.ts";
import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import type { OrderSides } from "#plugins/chain-scanner/venues/seaport/orderSides.ts";

/** An NFT that went from one order to another, or to the match's recipient. */
export type MatchedNft = {
	giver: OrderSides;
	/** The order that asked for it; null where it was left over. */
	taker: OrderSides | null;
	item: OfferedItem;
	quantity: bigint;
	buyer: Address;
	supplyRank: number;
	demandRank: number;
};
