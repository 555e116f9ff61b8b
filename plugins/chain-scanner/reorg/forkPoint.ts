import type { Head } from "#core/chain/heads/Head.ts";
import { runsOf } from "#plugins/chain-scanner/reorg/runsOf.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

export type ForkPoint =
	/** The node has the stored blocks, as far as its own head reaches. */
	| { kind: "sound" }
	/**
	 * Everything above `block` left the chain, or lies above something that did. The node's word
	 * counts if its blocks are linked from there to `reach`.
	 */
	| { kind: "fork"; block: number; depth: number; reach: number }
	/** What left the chain reaches below the allowed depth: how far is not known here. */
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
