import type { Hex } from "#core/chain/Hex.ts";

/** One log as `eth_getLogs` answers it: quantities are still hex, nothing is decoded. */
export type RawLog = {
	address: Hex;
	topics: readonly Hex[];
	data: Hex;
	blockNumber: Hex;
	blockHash: Hex;
	transactionHash: Hex;
	transactionIndex: Hex;
	logIndex: Hex;
	/** Only newer nodes send it; without it the lane reads the block's header. */
	blockTimestamp?: Hex | undefined;
	/** True in subscriptions when a reorg removed the log. */
	removed?: boolean | undefined;
};
