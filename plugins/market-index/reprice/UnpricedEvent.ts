/** An event's place, and its payment. */
export type UnpricedEvent = {
	occurredAtMs: number;
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	totalRaw: bigint;
};
