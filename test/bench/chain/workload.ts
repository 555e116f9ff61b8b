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

/**
 * As many collections as an index is wide, each met once: every block's rows fall into buckets and
 * rows of collections that no block before it touched.
 */
export const WIDE_WORKLOAD: Workload = {
	...WORKLOAD,
	blocks: 2_000,
	blockSeconds: 12,
	collections: 2_000,
};

/** What one block's gas allows, with room. */
export const DEPLOYMENTS_PER_BLOCK = 250;
/** Contracts besides the collections: editions, a coin, the venue. */
const OTHER_CONTRACTS = 3;

/** Blocks before the workload's first, in which its contracts are deployed. */
export function deploymentBlocks({ collections }: Pick<Workload, "collections">): number {
	return Math.ceil((collections + OTHER_CONTRACTS) / DEPLOYMENTS_PER_BLOCK);
}

/** Rows that one block of the workload brings. */
export function rowsPerBlock(workload: Workload): number {
	return expectedRows({ ...workload, blocks: 1 }).all;
}

/** Rows that a complete index of the chain has. */
export function expectedRows(workload: Workload): { mints: number; sales: number; all: number } {
	const { blocks, mintsPerBlock, singlesPerBlock, batchIdsPerBlock, salesPerBlock } = workload;
	const mints = blocks * (mintsPerBlock + singlesPerBlock + batchIdsPerBlock);
	const sales = blocks * salesPerBlock;
	return { mints, sales, all: mints + sales };
}
