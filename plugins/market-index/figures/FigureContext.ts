import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import type { FigureWindow } from "#plugins/market-index/rollup/Figure.ts";

/** What a figure is computed from, besides the collection's row. */
export type FigureContext = {
	nowMs: number;
	/** The window that the row's sales and volume were summed over. */
	window: FigureWindow;
	/** What the lanes of the row's chain cover. */
	spans: ChainSpans;
};
