import { MINUTE_MS } from "#core/time/units.ts";
import type { Figure } from "#test/bench/Figure.ts";

const CALLS_A_PAGE_MAX = 1.1;

/** The cost of first syncs in provider calls, and whether each collection has its turn. */
export const syncFigures: readonly Figure[] = [
	{
		name: "sync calls a page",
		unit: "calls",
		goal: { kind: "at_most", value: CALLS_A_PAGE_MAX },
		isByName: true,
		async measure(lab) {
			const { collections, calls, distinctPages, refreshes } = await lab.firstSyncs();
			return {
				value: calls / distinctPages,
				note:
					`${calls} calls of ${distinctPages} pages; first full sync of ${collections}, ten with ` +
					"3,000 sales a day, at 120 calls a minute on a clock of their own; beside them " +
					`${refreshes} calls brought others up to date`,
			};
		},
	},
	{
		name: "sync share of the bound",
		unit: "of it",
		goal: { kind: "at_most", value: 1 },
		isByName: true,
		async measure(lab) {
			const { busy, quiet, boundShareMost } = await lab.firstSyncs();
			const told = ({ lastMs, boundMs }: typeof busy) =>
				`after ${(lastMs / MINUTE_MS).toFixed(1)} min, bound ${(boundMs / MINUTE_MS).toFixed(1)}`;
			return {
				value: boundShareMost,
				note: `the last quiet one ${told(quiet)}; the last busy one ${told(busy)}`,
			};
		},
	},
];
