import type { Hex } from "#core/chain/Hex.ts";

/** One log as `eth_getLogs` answers it: quantities are still hex, nothing has been decoded. */
export type RawLog = {
	address: Hex;
	topics: readonly Hex[];
	data: Hex;
	blockNumber: Hex;
	blockHash: Hex;
	transactionHash: Hex;
	transactionIndex: Hex;
	logIndex: Hex;
	/** Sent by newer nodes only; where it is missing the lane asks for the block's header. */
	blockTimestamp?: Hex | undefined;
	/** True in subscriptions when a reorg took the log back. */
	removed?: boolean | undefined;
};
