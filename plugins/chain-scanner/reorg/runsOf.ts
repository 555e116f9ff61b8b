import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** Stored blocks that are linked by their hashes: a node that has one of them has all below it. */
export type Run = {
	top: BlockRef;
	/** Newest first, including the top. */
	blocks: BlockRef[];
	/** True: the chain continued so far above it that none of it should leave any more. */
	isOld: boolean;
};

/**
 * Splits stored blocks, newest first, at the holes between them: across a hole nothing is
 * confirmed.
 */
export function runsOf(stored: readonly BlockRef[], depthMax: number): Run[] {
	const newest = stored[0]?.number ?? 0;
	const runs: Run[] = [];
	let above: BlockRef | null = null;
	for (const block of stored) {
		const isLinked = above?.number === block.number + 1 && above.parentHash === block.hash;
		const run = isLinked ? runs.at(-1) : undefined;
		const isOld = newest - block.number >= depthMax;
		if (run) run.blocks.push(block);
		else runs.push({ top: block, blocks: [block], isOld });
		above = block;
	}
	return runs;
}
