import type { NewEvent } from "#plugins/market-index/contract.ts";

/** An event with what the index adds to it before it is stored. */
export type EventRow = Required<NewEvent> & {
	collectionId: number;
	/** `totalRaw` as an ETH equivalent in wei; null while no rate is known. */
	totalNative: bigint | null;
};
