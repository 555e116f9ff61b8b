/**
 * How much a bench chain holds. `WORKLOAD` is the one that figures are compared on; a wider or
 * longer chain is another value of this type.
 */
export type Workload = {
	blocks: number;
	/** Between two blocks, by the chain's clock. */
	blockSeconds: number;
	collections: number;
	/** Of ERC-721, in one transaction of each block; the block's number chooses the collection. */
	mintsPerBlock: number;
	/** TransferSingle logs a block. */
	singlesPerBlock: number;
	/** Ids of the one TransferBatch log a block. */
	batchIdsPerBlock: number;
	/** ERC-20 mints a block: logs that a scanner must leave out. */
	noisePerBlock: number;
	salesPerBlock: number;
	/** What each token of a paid drop costs; every other block pays. */
	mintPriceWei: bigint;
};

export const WORKLOAD: Workload = {
	blocks: 1_000,
	blockSeconds: 1,
	collections: 20,
	mintsPerBlock: 50,
	singlesPerBlock: 5,
	batchIdsPerBlock: 5,
	noisePerBlock: 10,
	salesPerBlock: 20,
	mintPriceWei: 1_000_000_000_000n,
};

/** Rows that a complete index of the chain has. */
export function expectedRows(workload: Workload): { mints: number; sales: number; all: number } {
	const { blocks, mintsPerBlock, singlesPerBlock, batchIdsPerBlock, salesPerBlock } = workload;
	const mints = blocks * (mintsPerBlock + singlesPerBlock + batchIdsPerBlock);
	const sales = blocks * salesPerBlock;
	return { mints, sales, all: mints + sales };
}
