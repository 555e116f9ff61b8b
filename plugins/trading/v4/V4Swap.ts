import type { Address } from "#core/chain/Hex.ts";

/** A pool of Uniswap V4 on a way. The native coin is the zero address there. */
export type V4Hop = {
	tokenIn: Address;
	tokenOut: Address;
	fee: number;
	tickSpacing: number;
	/** The zero address: no hooks, which is all that is taken unless configuration names one. */
	hooks: Address;
};

/** A swap through V4 pools. Its sender gets what is bought. */
export type V4Swap = {
	hops: readonly V4Hop[];
	exact: "in" | "out";
	amountRaw: bigint;
	limitRaw: bigint;
	recipient: Address;
	deadlineS: bigint;
};
