import type { Figure } from "#test/bench/Figure.ts";

const P50_MS_MAX = 2;
const RATIO_MAX = 1.5;

/** What the token's economics cost, and that they cost no more the longer the token lives. */
export const economicsFigures: readonly Figure[] = [
	{
		name: "token economics p50",
		unit: "ms",
		goal: { kind: "at_most", value: P50_MS_MAX },
		async measure(lab) {
			const { served, fresh, events } = await lab.economics();
			const note =
				`${served.calls} calls of a ledger of ${events.large} events, whose rows are read once a ` +
				`second for everybody; p99 ${served.large.p99Ms.toFixed(2)}; with rows read for each ` +
				`p50 ${fresh.large.p50Ms.toFixed(2)}`;
			return { value: served.large.p50Ms, note };
		},
	},
	{
		name: "token economics p99, a million / ten thousand",
		unit: "ratio",
		goal: { kind: "at_most", value: RATIO_MAX },
		async measure(lab) {
			const { calls, small, large, p50Ratio, p99Ratio } = (await lab.economics()).fresh;
			const p99 = `p99 ${large.p99Ms.toFixed(1)} of ${small.p99Ms.toFixed(1)} ms`;
			const note = `${p99}, p50 ratio ${p50Ratio.toFixed(2)}; ${calls} calls, rows read for each`;
			return { value: p99Ratio, note };
		},
	},
];
