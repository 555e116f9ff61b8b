import type { Figure } from "#test/bench/Figure.ts";

/** Uncached pages of an index whose tables of the provider's are full. */
export const marketFigures: readonly Figure[] = ["cold list", "detail"].map((page) => ({
	name: `${page} p50`,
	unit: "ms",
	goal: null,
	async measure(lab) {
		const read = (await lab.marketReads()).find(({ name }) => name === page);
		if (!read) throw new Error(`nobody reads "${page}"`);
		const { service, bare, calls } = read;
		return {
			value: service.p50Ms,
			reference: { value: bare.p50Ms, of: "bare script" },
			note:
				`p99 ${service.p99Ms.toFixed(1)}, bare ${bare.p99Ms.toFixed(1)}; ${calls} calls, page cache ` +
				"off; 1,000 collections with stats, books and tokens; the script is one prepared statement",
		};
	},
}));
