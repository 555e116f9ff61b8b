// Lists the figures of distant or limited nodes, other chains, and first syncs.

import { MINUTE_MS } from "#core/time.ts";
import type { Lab, Pair } from "#test/bench/createLab.ts";
import type { Figure } from "#test/bench/Figure.ts";
import { median, pairedRatio, spread } from "#test/bench/statistics.ts";

const FLOOR = "bare floor";
const CHAINS = {
	spread: "one mint or sale a transaction",
	wide: "2,000 contracts",
	"very wide": "20,000 contracts",
} as const;
/** Least ratios to the floor of the same run; null where none was set. */
const RATIO_MIN = { spread: null, wide: 0.6, "very wide": null, day: 0.7 };

/**
 * What the bench's own chain and node make look better: other chains, nodes far away, limits,
 * distance.
 */
export const remoteFigures: readonly Figure[] = [
	...(["spread", "wide", "very wide"] as const).flatMap((chain) => [
		rateFigure(CHAINS[chain], (lab) => lab.otherChains(chain)),
		ratioFigure(CHAINS[chain], RATIO_MIN[chain], (lab) => lab.otherChains(chain)),
	]),
	nearnessFigure("far", "50 ms away"),
	nearnessFigure("25 requests/s", "50 ms away, 25 requests/s"),
	{
		name: "100 calls/s: seconds to the last row",
		unit: "s",
		goal: { kind: "at_most", value: 12 },
		isByName: true,
		async measure(lab) {
			const { catchUp, toLastRow } = await lab.remote("100 calls/s");
			const note = `50 ms away; ${toLastRow.refused} of ${toLastRow.requests} requests refused`;
			return { value: catchUp.laneSeconds, note };
		},
	},
	{
		name: "100 calls/s: calls to the last row, without names",
		unit: "calls",
		goal: { kind: "at_most", value: 1_150 },
		isByName: true,
		async measure(lab) {
			const { calls, methods } = (await lab.remote("100 calls/s")).toLastRow;
			return { value: calls - (methods["eth_call"] ?? 0), note: methodsOf(methods) };
		},
	},
	{
		name: "100 calls/s: seconds to the last name",
		unit: "s",
		goal: { kind: "at_most", value: 25 },
		isByName: true,
		async measure(lab) {
			const { lastNameSeconds, toLastName } = await lab.remote("100 calls/s");
			return { value: lastNameSeconds, note: methodsOf(toLastName.methods) };
		},
	},
	{
		name: "calls to the last name",
		unit: "calls",
		goal: { kind: "at_most", value: 2_500 },
		isByName: true,
		async measure(lab) {
			const { toLastName, toLastRow } = await lab.remote("near");
			const note = `${toLastRow.calls} to the last row; ${methodsOf(toLastName.methods)}`;
			return { value: toLastName.calls, note };
		},
	},
	...[12, 2, 0.25].flatMap((blockSeconds) => {
		const day = `a day of ${blockSeconds} s blocks`;
		return [
			rateFigure(day, (lab) => lab.day(blockSeconds)),
			ratioFigure(day, RATIO_MIN.day, (lab) => lab.day(blockSeconds)),
		];
	}),
	...[950, 1_050, 50_000].flatMap((blocks): Figure[] => [
		{
			name: `${blocks} blocks behind: newest rows`,
			unit: "s",
			goal: { kind: "at_most", value: 1 },
			isByName: true,
			async measure(lab) {
				const { headSeconds } = await lab.behind(blocks);
				return { value: headSeconds, note: "all rows of the newest block, from the lanes' start" };
			},
		},
		{
			name: `${blocks} blocks behind: whole / catch-up`,
			unit: "ratio",
			goal: { kind: "at_least", value: 0.8 },
			isByName: true,
			async measure(lab) {
				const { rows, wholeSeconds } = await lab.behind(blocks);
				const catchUp = rateOf(blocks > 2_000 ? await lab.day(2) : await lab.catchUps());
				const rate = rows / wholeSeconds;
				const note = `${rate.toFixed(0)} of ${catchUp.toFixed(0)} rows/s, the head at rest; same run`;
				return { value: rate / catchUp, note };
			},
		},
	]),
];

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

/** A rate has no goal: it says as much of the machine as of us. */
function rateFigure(name: string, measure: (lab: Lab) => Promise<readonly Pair[]>): Figure {
	return {
		name: `${name}: rows/s`,
		unit: "rows/s",
		goal: null,
		isByName: true,
		async measure(lab) {
			const pairs = await measure(lab);
			const rates = pairs.map(({ service: { rows, laneSeconds } }) => rows / laneSeconds);
			const floors = pairs.map(({ floor: { rows, seconds } }) => rows / seconds);
			const peak = Math.max(...pairs.map(({ service }) => service.peakMb)).toFixed(0);
			return {
				value: median(rates),
				reference: { value: median(floors), of: FLOOR },
				note: `from the lanes' start; ${spread(rates)}; floor ${spread(floors)}; peak ${peak} MB`,
			};
		},
	};
}

function ratioFigure(
	name: string,
	goal: number | null,
	measure: (lab: Lab) => Promise<readonly Pair[]>,
): Figure {
	return {
		name: `${name}: / floor`,
		unit: "ratio",
		goal: goal === null ? null : { kind: "at_least", value: goal },
		isByName: true,
		async measure(lab) {
			const { value, ratios } = pairedRatio(
				(await measure(lab)).map(({ service, floor }) => ({
					ours: service.rows / service.laneSeconds,
					theirs: floor.rows / floor.seconds,
				})),
			);
			return { value, note: `median over runs paired in time; ${spread(ratios)}` };
		},
	};
}

function nearnessFigure(terms: "far" | "25 requests/s", words: string): Figure {
	return {
		name: `${words}: of the rate at 0 ms`,
		unit: "ratio",
		goal: { kind: "at_least", value: 0.9 },
		isByName: true,
		async measure(lab) {
			const rateBy = async (node: "near" | typeof terms) => {
				const { rows, laneSeconds } = (await lab.remote(node)).catchUp;
				return rows / laneSeconds;
			};
			const [far, near] = [await rateBy(terms), await rateBy("near")];
			const note = `${far.toFixed(0)} of ${near.toFixed(0)} rows/s, both through a proxy, one run each`;
			return { value: far / near, note };
		},
	};
}

function rateOf(pairs: readonly Pair[]): number {
	return median(pairs.map(({ service: { rows, laneSeconds } }) => rows / laneSeconds));
}

function methodsOf(methods: Readonly<Record<string, number>>): string {
	return Object.entries(methods)
		.map(([method, count]) => `${method} ${count}`)
		.join(", ");
}
