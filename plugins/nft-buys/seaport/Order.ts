import type { Address, Hex } from "#core/chain/Hex.ts";

/**
 * Seaport's kinds of items: 0 native coin, 1 ERC-20, 2 ERC-721, 3 ERC-1155, 4 and 5 any that
 * matches.
 */
export type OrderItem = {
	itemType: number;
	token: Address;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
};

export type ConsiderationItem = OrderItem & { recipient: Address };

/** `OrderParameters` as Seaport's ABI names them: what the seller signed, without the counter. */
export type OrderParameters = {
	offerer: Address;
	zone: Address;
	offer: OrderItem[];
	consideration: ConsiderationItem[];
	orderType: number;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	conduitKey: Hex;
	totalOriginalConsiderationItems: bigint;
};
