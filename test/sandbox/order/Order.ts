import type { Address, Hex } from "viem";

/** The item types of Seaport that this world signs. */
export type ItemType = 0 | 1 | 2 | 3 | 4;

export type OfferItem = {
	itemType: ItemType;
	token: Address;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
};

export type ConsiderationItem = OfferItem & { recipient: Address };

/** OrderParameters as Seaport's ABI names them; the counter is always 0 here. */
export type OrderParameters = {
	offerer: Address;
	zone: Address;
	offer: OfferItem[];
	consideration: ConsiderationItem[];
	orderType: 0 | 1;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	conduitKey: Hex;
	totalOriginalConsiderationItems: bigint;
};

export type SignedOrder = { parameters: OrderParameters; signature: Hex };
