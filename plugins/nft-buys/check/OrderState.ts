/** What the chain knows of an order and its seller. */
export type OrderState = {
	/** Orders signed with another one are void. */
	counter: bigint;
	isCancelled: boolean;
	totalFilled: bigint;
	/** 0 where nothing was ever filled. */
	totalSize: bigint;
};
