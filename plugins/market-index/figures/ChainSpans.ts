import type { Span } from "#plugins/market-index/rollup/Figure.ts";

/** The time for which a chain's lanes have everything; null where that is not known. */
export type ChainSpans = {
	sales: Span | null;
	mints: Span | null;
	/** Until when the owners of walked contracts are current. */
	movesUntilMs: number | null;
};

/** The spans of a chain that no lane follows. */
export const NO_SPANS: ChainSpans = { sales: null, mints: null, movesUntilMs: null };
