// Reads block headers, remembers them, and picks those that are kept for linking.

import { type Hex, hexQuantity } from "#core/chain/Hex.ts";
import { type Head, parseHead } from "#core/chain/heads/Head.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import { HEADERS_REMEMBERED_MAX } from "#plugins/chain-scanner/limits.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** Returns headers by number, in one batch; null where the node has no such block yet. */
export async function readHeaders(
	rpc: Rpc,
	numbers: readonly number[],
	signal: AbortSignal,
): Promise<(Head | null)[]> {
	if (numbers.length === 0) return [];
	const answers = await rpc.batch(numbers.map(headerCall), { signal });
	return numbers.map((number, index) => {
		const header = parseHead(answers[index]);
		return header?.number === number ? header : null;
	});
}

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

/**
 * Makes a memory of headers for readers of the same blocks, one after the other, each for logs of
 * its own. The highest ones are kept: at the limit the lowest are dropped.
 */
export function createHeaderMemory(): HeaderMemory {
	const headers = new Map<number, Head>();
	return {
		has: (number) => headers.has(number),
		below(child, from) {
			const found: Head[] = [];
			let { parentHash } = child;
			for (let number = child.number - 1; number >= from; number--) {
				const header = headers.get(number);
				if (header?.hash !== parentHash) break;
				found.push(header);
				({ parentHash } = header);
			}
			return found.reverse();
		},
		keep(read) {
			for (const header of read) headers.set(header.number, header);
			if (headers.size <= HEADERS_REMEMBERED_MAX) return;
			const numbers = [...headers.keys()].sort((a, b) => a - b);
			for (const number of numbers.slice(0, headers.size - HEADERS_REMEMBERED_MAX)) {
				headers.delete(number);
			}
		},
		clear: () => headers.clear(),
	};
}

export function headerCall(block: number): RpcCall {
	return { method: "eth_getBlockByNumber", params: [hexQuantity(block), false] };
}
