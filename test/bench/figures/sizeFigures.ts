import type { Figure } from "#test/bench/Figure.ts";
import { readPaths } from "#test/bench/measure/readPaths.ts";

const RATIO_MAX = 1.5;
/** Routes that clients read all the time. */
const HELD_TO_GOAL = /^(discover|trending|detail|candles)/;

/** Twice the former rates, from before their plans were kept; one request after the other. */
const RATE_MIN: Readonly<Record<string, number>> = { discover: 102, "trending 24h": 502 };

/** With 10 million events: reads against an index of 100 thousand, and a wide chain on top. */
export const sizeFigures: readonly Figure[] = [
	...readPaths.map(
		({ name }): Figure => ({
			name: `${name} p99, 10 million / 100 thousand`,
			unit: "ratio",
			goal: HELD_TO_GOAL.test(name) ? { kind: "at_most", value: RATIO_MAX } : null,
			async measure(lab) {
				const read = (await lab.reads()).find((compared) => compared.name === name);
				if (!read) throw new Error(`nobody reads "${name}"`);
				const { calls, small, large, p50Ratio, p99Ratio } = read;
				const p99 = `p99 ${large.p99Ms.toFixed(1)} of ${small.p99Ms.toFixed(1)} ms`;
				const note = `${p99}, p50 ratio ${p50Ratio.toFixed(2)}; ${calls} calls, page cache off`;
				return { value: p99Ratio, note };
			},
		}),
	),
	...Object.entries(RATE_MIN).map(
		([name, value]): Figure => ({
			name: `${name} requests/s`,
			unit: "requests/s",
			goal: { kind: "at_least", value },
			async measure(lab) {
				const read = (await lab.reads()).find((compared) => compared.name === name);
				if (!read) throw new Error(`nobody reads "${name}"`);
				const { calls, small, large } = read;
				const rateOf = (ms: number) => 1_000 / ms;
				const note =
					`by the median of ${calls} calls, one after the other, of 100 thousand events; ` +
					`of 10 million ${rateOf(large.p50Ms).toFixed(0)}; a crowd shares answers`;
				return { value: rateOf(small.p50Ms), note };
			},
		}),
	),
	{
		name: "wide catch-up rows/s",
		unit: "rows/s",
		goal: { kind: "at_least", value: 20_000 },
		async measure(lab) {
			const { rows, laneSeconds } = await lab.wideCatchUp();
			const note =
				`${rows} rows in ${laneSeconds.toFixed(1)} s from the lanes' start; 2,000 collections, ` +
				"12 s blocks, on 10 million events";
			return { value: rows / laneSeconds, note };
		},
	},
];
