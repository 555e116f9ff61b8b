import type { Head } from "#core/chain/heads/Head.ts";
import { HEADERS_REMEMBERED_MAX } from "#plugins/chain-scanner/limits.ts";

/** Headers within reach of reorgs that were read before, by number. */
export type HeaderMemory = {
	/**
	 * Returns the headers of the blocks from a number up to just below a given one, linked down by
	 * the parents' hashes until one is missing. They are ancestors of that block, whatever fork the
	 * node is on; in ascending order.
	 */
	below(told: Head, from: number): Head[];
	/** Says whether a block of this number is remembered, of whatever fork. */
	has(number: number): boolean;
	keep(headers: readonly Head[]): void;
	clear(): void;
};

/**
 * Makes a memory of headers for readers of the same blocks, one after the other, each for logs of
 * its own. The highest ones are kept: at the limit the lowest are dropped.
 */
export function createHeaderMemory(): HeaderMemory {
	const headers = new Map<number, Head>();
	return {
		has: (number) => headers.has(number),
		below(told, from) {
			const found: Head[] = [];
			let { parentHash } = told;
			for (let number = told.number - 1; number >= from; number--) {
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
