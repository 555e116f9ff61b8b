/** Transactions of the newest blocks of a chain, each to be met once. */
export type RecentHashes = {
	add(hashes: readonly string[]): void;
	/** True once for each hash: whoever is told looks at it. */
	take(hash: string): boolean;
};

/**
 * Remembers hashes of so many of the newest blocks, and of so many hashes at most: beyond that the
 * oldest are forgotten. A false block pushes out what is old, and no more than that: what is sent
 * is found by the clock as well.
 */
export function createRecentHashes({
	blocksMax,
	hashesMax,
}: {
	blocksMax: number;
	hashesMax: number;
}): RecentHashes {
	/** Of the blocks in the order in which they came. */
	const blocks: Set<string>[] = [];

	return {
		add(hashes) {
			blocks.push(new Set(hashes));
			const count = () => blocks.reduce((sum, { size }) => sum + size, 0);
			while (blocks.length > 1 && (blocks.length > blocksMax || count() > hashesMax)) {
				blocks.shift();
			}
		},
		take(hash) {
			let isThere = false;
			for (const hashes of blocks) isThere = hashes.delete(hash) || isThere;
			return isThere;
		},
	};
}
