import type { Head } from "#core/chain/heads/Head.ts";
import type { StoredBlock } from "#plugins/chain-scanner/sql/block.ts";

export type ForkPoint =
	/** The node has what we stand on, as far as its own head reaches. */
	| { kind: "sound" }
	/** Everything above `block` left the chain. */
	| { kind: "fork"; block: number; depth: number }
	/** What left the chain reaches below what may leave it: nothing here can say how far. */
	| { kind: "too_deep"; depth: number };

/**
 * Where the node's chain leaves the one that the index stands on.
 *
 * Every block within reach of a reorg was stored when it was read, so below the lowest one that
 * differs nothing of the dead fork can be. Stored blocks that follow one another are linked: one
 * that the node has too vouches for those right below it, and for none beyond a hole (a block that
 * was stepped over). Blocks above the node's head tell nothing: it may lag. A settled block that
 * differs, or a fork deeper than `depthMax`, is not guessed at.
 */
export function forkPoint(
	stored: readonly StoredBlock[],
	headerOf: (number: number) => Head | null,
	depthMax: number,
): ForkPoint {
	const top = stored[0]?.number ?? 0;
	let lowest: StoredBlock | null = null;
	let vouched = Number.NaN;
	for (const block of stored) {
		const isVouched = block.number === vouched;
		if (isVouched) vouched = block.number - 1;
		const header = isVouched ? null : headerOf(block.number);
		if (!header) continue;
		if (header.hash === block.hash) vouched = block.number - 1;
		else lowest = block;
	}
	if (!lowest) return { kind: "sound" };
	const depth = top - lowest.number + 1;
	if (lowest.settled || depth > depthMax) return { kind: "too_deep", depth };
	return { kind: "fork", block: lowest.number - 1, depth };
}
