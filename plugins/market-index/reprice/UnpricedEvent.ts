/** Where an event stands, and what was paid in it. */
export type UnpricedEvent = {
	occurredAtMs: number;
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	totalRaw: bigint;
};
