/**
 * The content of a bench chain. Figures are compared on `WORKLOAD`; a wider or longer chain is
 * another value of this type.
 */
export type Workload = {
	blocks: number;
	/** The time between two blocks, by the chain's clock. */
	blockSeconds: number;
	collections: number;
	/** Collections whose turn it is in a block, by its number; each mints and sells. */
	collectionsPerBlock: number;
	/** ERC-721 mints of each collection whose turn it is, in one transaction. */
	mintsPerCollection: number;
	/** TransferSingle logs a block. */
	singlesPerBlock: number;
	/** Ids of the one TransferBatch log a block. */
	batchIdsPerBlock: number;
	/** ERC-20 mints a block: logs that a scanner must leave out. */
	noisePerBlock: number;
	/** Sales of each collection whose turn it is. */
	salesPerCollection: number;
	/** The price of each token of a paid drop; every other block pays. */
	mintPriceWei: bigint;
	/**
	 * True: each ERC-721 mint and each sale has a transaction of its own, as most have in reality.
	 */
	isSpread: boolean;
};

export const WORKLOAD: Workload = {
	blocks: 1_000,
	blockSeconds: 1,
	collections: 20,
	collectionsPerBlock: 1,
	mintsPerCollection: 50,
	singlesPerBlock: 5,
	batchIdsPerBlock: 5,
	noisePerBlock: 10,
	salesPerCollection: 20,
	mintPriceWei: 1_000_000_000_000n,
	isSpread: false,
};

/** The same rows, with one mint or sale a transaction. */
export const SPREAD_WORKLOAD: Workload = { ...WORKLOAD, isSpread: true };

/**
 * As many collections as an index is wide, each met in one block: a batch's rows belong to rows of
 * collections, and buckets, that nothing before it touched. Several a block, because anvil's time
 * for a block grows with its accounts.
 */
export const WIDE_WORKLOAD: Workload = {
	...WORKLOAD,
	blocks: 500,
	blockSeconds: 12,
	collections: 2_000,
	collectionsPerBlock: 4,
};

/** As many rows as the wide chain has, of ten times as many collections: seven rows of each. */
export const VERY_WIDE_WORKLOAD: Workload = {
	...WIDE_WORKLOAD,
	collections: 20_000,
	collectionsPerBlock: 40,
	mintsPerCollection: 5,
	salesPerCollection: 2,
};

/** What one block's gas allows, with room. */
export const DEPLOYMENTS_PER_BLOCK = 250;
/** Contracts besides the collections: editions, a coin, the venue, and Multicall3. */
const OTHER_CONTRACTS = 4;

/**
 * Returns the number of blocks before the workload's first, in which its contracts are deployed.
 */
export function deploymentBlocks({ collections }: Pick<Workload, "collections">): number {
	return Math.ceil((collections + OTHER_CONTRACTS) / DEPLOYMENTS_PER_BLOCK);
}

/** Returns the rows of one block of the workload. */
export function rowsPerBlock(workload: Workload): number {
	return expectedRows({ ...workload, blocks: 1 }).all;
}

/** Returns the rows of a complete index of the chain. */
export function expectedRows(workload: Workload): { mints: number; sales: number; all: number } {
	const { blocks, collectionsPerBlock, singlesPerBlock, batchIdsPerBlock } = workload;
	const dropped = collectionsPerBlock * workload.mintsPerCollection;
	const mints = blocks * (dropped + singlesPerBlock + batchIdsPerBlock);
	const sales = blocks * collectionsPerBlock * workload.salesPerCollection;
	return { mints, sales, all: mints + sales };
}

/** A chain's newest block, with the rows of a complete index of it. */
export type Contents = { tip: number; mints: number; sales: number };

export function contentsOf(workload: Workload): Contents {
	const { mints, sales } = expectedRows(workload);
	return { tip: deploymentBlocks(workload) + workload.blocks, mints, sales };
}
