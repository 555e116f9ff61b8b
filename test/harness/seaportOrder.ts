import type { Hex } from "viem";
import type { RawLog } from "#core/chain/RawLog.ts";

export type OrderItem = {
	itemType: number;
	token: Hex;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
};
export type ConsiderationItem = OrderItem & { recipient: Hex };

export type OrderParameters = {
	offerer: Hex;
	zone: Hex;
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
export type SignedOrder = { parameters: OrderParameters; signature: Hex };

/** A part of an order to fill; by default all of it. */
export type Part = { order: SignedOrder; numerator?: bigint; denominator?: bigint };
export type CriteriaResolver = {
	orderIndex: bigint;
	/** 0: offer, 1: consideration. */
	side: number;
	index: bigint;
	identifier: bigint;
	criteriaProof: Hex[];
};
/** Pairs `[order, item]`: which offer items pay for which consideration items. */
export type Fulfillment = { from: [number, number][]; to: [number, number][] };

export type Receipt = {
	status: Hex;
	transactionHash: Hex;
	blockNumber: Hex;
	gasUsed: Hex;
	effectiveGasPrice: Hex;
	from: Hex;
	logs: RawLog[];
};

/** The sender of a call, and the native currency that is sent. */
export type Call = { from: Hex; value?: bigint };
