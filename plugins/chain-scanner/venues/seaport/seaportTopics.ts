import type { Hex } from "#core/chain/Hex.ts";

/** First topics of the two logs that sales are made from; the same in all versions. */
export const seaportTopics: { orderFulfilled: Hex; ordersMatched: Hex } = {
	/**
	 * OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])
	 */
	orderFulfilled: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
	/** OrdersMatched(bytes32[]), sent from 1.2 on. */
	ordersMatched: "0x4b9f2d36e1b4c93de62cc077b00b1a91d84b6c31b4a14e012718dcca230689e7",
};
