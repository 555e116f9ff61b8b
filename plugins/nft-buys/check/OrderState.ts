/** The chain's state of an order and its seller. */
export type OrderState = {
	/** The seller's counter; orders signed with another one are void. */
	counter: bigint;
	isCancelled: boolean;
	totalFilled: bigint;
	/** 0 for an order without any fill. */
	totalSize: bigint;
};
