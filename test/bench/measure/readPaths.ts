/** A read as the comparison calls it, with the path of its n-th call. */
export type ReadPath = { name: string; of(turn: number): string };

/**
 * The most traded collections, in turn: their pages are full at either size, so both answers are as
 * long.
 */
const COLLECTIONS = 8;

/** Collections 5 and 10 are on the other chain; both answer without its name. */
const slugOf = (turn: number) => `collection-${1 + (turn % COLLECTIONS)}`;

export const readPaths: readonly ReadPath[] = [
	{ name: "discover", of: () => "/discover" },
	{ name: "trending 24h", of: () => "/trending" },
	{ name: "trending 7d", of: () => "/trending?window=7d" },
	{ name: "collections", of: () => "/collections?scope=all" },
	{ name: "detail", of: (turn) => `/collections/${slugOf(turn)}` },
	{ name: "candles 1m", of: (turn) => `/collections/${slugOf(turn)}/candles?interval=1m` },
	{ name: "candles 1h", of: (turn) => `/collections/${slugOf(turn)}/candles?interval=1h` },
	{ name: "candles 1d", of: (turn) => `/collections/${slugOf(turn)}/candles?interval=1d` },
	{ name: "activity", of: (turn) => `/collections/${slugOf(turn)}/activity` },
];
