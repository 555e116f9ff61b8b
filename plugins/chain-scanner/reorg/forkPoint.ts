// Decides from stored blocks and the node's headers where the chain forked.

import type { Head } from "#core/chain/heads/Head.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** Stored blocks that are linked by their hashes: a node that has one of them has all below it. */
export type Run = {
	top: BlockRef;
	/** Newest first, including the top. */
	blocks: BlockRef[];
	/** True: the chain continued so far above it that none of it should leave any more. */
	isOld: boolean;
};

export type ForkPoint =
	/** The node has the stored blocks, as far as its own head reaches. */
	| { kind: "sound" }
	/**
	 * Everything above `block` left the chain, or lies above a block that did. The node's answer
	 * counts if its blocks are linked from there to `reach`.
	 */
	| { kind: "fork"; block: number; depth: number; reach: number }
	/** The fork is deeper than may be repaired: at least `depth` blocks. */
	| { kind: "too_deep"; depth: number };

/**
 * Returns where the node's chain leaves the index's.
 *
 * Every block within reach of a reorg was stored when it was read, and stays until something
 * confirms it; so below the lowest one that differs nothing of the dead fork can be. Each run of
 * linked blocks is judged by itself: one that the node has too confirms those below it in its run,
 * and none beyond a hole. A fork's depth counts from the top of its run, however far above that
 * other lanes have come since.
 *
 * Blocks above the node's head prove nothing: it may lag. It may also lag about a run far below the
 * newest block: there the fork must reach far enough up to be the chain's. A settled block that
 * differs, or a fork deeper than `depthMax`, is not guessed at.
 */
export function forkPoint(
	stored: readonly BlockRef[],
	headerOf: (number: number) => Head | null,
	depthMax: number,
): ForkPoint {
	let point: ForkPoint = { kind: "sound" };
	for (const { top, blocks, isOld } of runsOf(stored, depthMax)) {
		const lowest = lowestThatDiffers(blocks, headerOf);
		if (!lowest) continue;
		const depth = top.number - lowest.number + 1;
		if (lowest.settled || depth > depthMax) return { kind: "too_deep", depth };
		const reach = isOld ? top.number + depthMax : lowest.number;
		point = { kind: "fork", block: lowest.number - 1, depth, reach };
	}
	return point;
}

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

function lowestThatDiffers(
	blocks: readonly BlockRef[],
	headerOf: (number: number) => Head | null,
): BlockRef | null {
	let lowest: BlockRef | null = null;
	for (const block of blocks) {
		const header = headerOf(block.number);
		if (header?.hash === block.hash) return lowest;
		if (header) lowest = block;
	}
	return lowest;
}
