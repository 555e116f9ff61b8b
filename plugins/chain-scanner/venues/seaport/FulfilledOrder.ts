import type { Address, Hex } from "#core/chain/Hex.ts";

/** 0 native, 1 ERC-20, 2 ERC-721, 3 ERC-1155. Criteria (4, 5) are resolved before the log. */
export type SeaportItemType = 0 | 1 | 2 | 3;

export type OfferedItem = {
	itemType: SeaportItemType;
	token: Address;
	identifier: bigint;
	amount: bigint;
};

export type ReceivedItem = OfferedItem & { recipient: Address };

/** The content of one OrderFulfilled log, without any conclusion. */
export type FulfilledOrder = {
	orderHash: Hex;
	offerer: Address;
	zone: Address;
	/** The taker; the caller of a match from 1.2 on; the zero address in a match of 1.1. */
	recipient: Address;
	offer: readonly OfferedItem[];
	consideration: readonly ReceivedItem[];
};

/** A fulfilled order with its log. */
export type Fulfilment = { logIndex: number; order: FulfilledOrder };
