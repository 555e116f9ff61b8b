import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { assert } from "#core/fault/assert.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/**
 * Returns which of a range's blocks are kept for linking: all that may leave the chain; of a
 * settled range its last block alone, which the next range links to.
 */
export function blocksOf(
	headers: readonly Head[],
	range: BlockRange,
	unsettledFrom: number,
): { blocks: BlockRef[]; parentHash: Hex; madeMs: { first: number; last: number } } {
	const [first] = headers;
	const last = headers.at(-1);
	assert(first?.number === range.from && last?.number === range.to, "a range has both its ends");
	const blocks = headers
		.filter(({ number }) => number >= unsettledFrom || number === range.to)
		.map(({ number, hash, parentHash }) => {
			return { number, hash, parentHash, settled: number < unsettledFrom };
		});
	const madeMs = { first: first.timestampMs, last: last.timestampMs };
	return { blocks, parentHash: first.parentHash, madeMs };
}
